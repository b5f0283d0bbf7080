//! Files of assistants that are an AI.

use domain::assistant::tool::Tool;
use domain::assistant::{Agent, Brain, CredentialName, Dialect, Provider, ProviderKey};

use super::*;

fn agent(text: &str) -> Agent {
    match read(text).engine {
        Engine::Agent(agent) => *agent,
        Engine::Builtin(_) => panic!("a script"),
    }
}

fn shown(provider: &Provider) -> (&str, &str, &ProviderKey) {
    (provider.endpoint.as_str(), &provider.model, &provider.key)
}

#[test]
fn an_ai_needs_a_task_and_a_model_and_may_then_hang_up() {
    let Agent { persona, brain } = agent(REALTIME);
    assert_eq!(
        (persona.instructions.as_str(), persona.first_message, persona.fallback_line),
        ("Ask.", None, None)
    );
    assert_eq!((persona.tools, persona.transfer_targets), ([Tool::EndCall].into(), Vec::new()));
    let Brain::Realtime(realtime) = brain else { panic!("another brain") };
    let usual = ("wss://api.openai.com/v1/realtime", "gpt-realtime", &ProviderKey::None);
    assert_eq!(shown(&realtime.provider), usual);
    assert_eq!(
        (realtime.dialect, realtime.voice, realtime.transcription_model),
        (Dialect::OpenAi, None, None)
    );

    let Brain::Cascade(cascade) = agent(CASCADE).brain else { panic!("another brain") };
    for (provider, model) in [(&cascade.chat, "c"), (&cascade.transcription, "t"), (&cascade.speech, "s")] {
        assert_eq!(shown(provider), ("https://api.openai.com/v1", model, &ProviderKey::None));
    }
    assert_eq!(cascade.voice, "alloy");
}

#[test]
fn everything_that_an_ai_can_be_told_arrives() {
    let Agent { persona, brain } = agent(
        r#"
        name = "Ada"
        engine = "realtime"
        instructions = """
        You are Ada."""
        first_message = "Hello {{customerName}}"
        fallback_line = "Sorry."
        tools = ["send_dtmf", "transfer_call", "leave_voicemail"]
        [[transfer_targets]]
        name = "reception"
        number = "+14155550100"
        [[transfer_targets]]
        name = "Nurse Joy"
        number = "+442079460000"
        [realtime]
        endpoint = "ws://10.0.0.5:8080/realtime?x=y"
        dialect = "localai"
        model = "m"
        voice = "v"
        transcription_model = "whisper-1"
        credential = "OpenAI"
        "#,
    );
    assert_eq!(persona.instructions.trim(), "You are Ada.");
    assert_eq!(persona.first_message.as_deref(), Some("Hello {{customerName}}"));
    assert_eq!(persona.fallback_line.as_deref(), Some("Sorry."));
    assert_eq!(persona.tools, [Tool::TransferCall, Tool::LeaveVoicemail, Tool::SendDtmf].into());
    let targets = persona.transfer_targets.iter();
    let targets: Vec<_> = targets.map(|target| (target.name.as_str(), target.number.as_str())).collect();
    assert_eq!(targets, [("reception", "+14155550100"), ("Nurse Joy", "+442079460000")]);
    let Brain::Realtime(realtime) = brain else { panic!("another brain") };
    let named = ProviderKey::Credential(CredentialName::parse("openai").unwrap());
    assert_eq!(shown(&realtime.provider), ("ws://10.0.0.5:8080/realtime?x=y", "m", &named));
    assert_eq!(realtime.dialect, Dialect::LocalAi);
    assert_eq!(
        (realtime.voice.as_deref(), realtime.transcription_model.as_deref()),
        (Some("v"), Some("whisper-1"))
    );
    assert_eq!(agent(&REALTIME.replace("[realtime]", "")).persona.tools.len(), 1);
    assert!(agent(&format!("tools = []\n{REALTIME}")).persona.tools.is_empty());
}

#[test]
fn a_mistake_is_named_with_what_is_allowed() {
    let target = |name: &str| format!("[[transfer_targets]]\nname = '{name}'\nnumber = '+14155550100'\n");
    let tools = "tools = ['transfer_call']\n";
    let twice = format!("{tools}{}{}", target("Reception"), target("reception"));
    let many: String = (0..21).map(|number| target(&number.to_string())).collect();
    assert_refused(
        REALTIME,
        &[
            ("first_message = ''", "first_message", "1 to 4000"),
            ("fallback_line = ' '", "fallback_line", "1 to 4000"),
            ("tools = ['dance']", "tools", "end_call, transfer_call, leave_voicemail, send_dtmf"),
            (tools, "tools", "transfer_targets"),
            (&target("reception"), "transfer_targets", "transfer_call"),
            (&twice, "transfer_targets[2].name", "twice"),
            (&format!("{tools}{}", target(&"x".repeat(51))), "transfer_targets[1].name", "at most 50"),
            (&format!("{tools}{many}"), "transfer_targets", "at most 20"),
            (
                &format!("{tools}[[transfer_targets]]\nname = 'a'\nnumber = '911'"),
                "transfer_targets[1].number",
                "E.164",
            ),
            ("realtime.dialect = 'klingon'", "realtime.dialect", "openai, azure, xai, localai, speaches"),
            ("realtime.dialect = 'azure'", "realtime.endpoint", "no usual one"),
            ("realtime.endpoint = 'https://api.openai.com/'", "realtime.endpoint", "not a ws or wss URL"),
            ("realtime.endpoint = 'ws://api.openai.com/'", "realtime.endpoint", "plain ws"),
            ("realtime.endpoint = 'wss://192.168.0.1/'", "realtime.endpoint", "private"),
            ("realtime.endpoint = 'wss://u:p@api.openai.com/'", "realtime.endpoint", "a password"),
            ("realtime.endpoint = 'wss://api.openai.com/?a=b&Api-Key=c'", "realtime.endpoint", "key set"),
            ("realtime.credential = 'open-ai'", "realtime.credential", "ENGINES__CREDENTIALS"),
            (
                "realtime.credential = 'openai'\nrealtime.key_variable = 'OPENAI_API_KEY'",
                "realtime.credential",
                "without key_variable",
            ),
            ("realtime.key = 'sk-secret'", "realtime.key", "callwright assistant key set"),
            ("realtime.voice = ''", "realtime.voice", "1 to 200"),
            ("realtime.speed = 2", "speed", "expected one of"),
            ("[cascade]", "line 5", "missing field"),
        ],
    );
    assert_refused(
        CASCADE,
        &[
            ("chat.endpoint = 'http://localhost:8000/v1'", "cascade.chat.endpoint", "a name of this machine"),
            ("chat.endpoint = 'http://api.example.com'", "cascade.chat.endpoint", "plain http"),
            (
                "speech.endpoint = 'wss://api.example.com'",
                "cascade.speech.endpoint",
                "not an http or https URL",
            ),
            ("speech.key = 'sk-secret'", "cascade.speech.key", "callwright assistant key set"),
            ("[realtime]\nmodel = 'm'", "realtime", "goes with engine = \"realtime\" only"),
        ],
    );
    assert!(!told(REALTIME, "realtime.key = 'sk-secret'").contains("sk-secret"));
    let long = format!("instructions = '{}'\n", "x".repeat(32_001));
    let text = told(&REALTIME.replace("instructions = 'Ask.'\n", ""), &long);
    assert!(text.contains("1 to 32000"), "{text}");
}

/// The credential of the operator is for one tenant and two origins; another endpoint is another server.
#[test]
fn credential_is_named_by_its_tenant_at_its_origins() {
    let stranger = TenantId::from(NewId::at(OffsetDateTime::UNIX_EPOCH, [2; 10]));
    for named in ["credential = 'openai'", "credential = 'OPENAI'", "key_variable = 'OPENAI_API_KEY'"] {
        let part = named.split(' ').next().unwrap();
        let realtime = format!("{REALTIME}realtime.{named}\n");
        // The usual endpoints are at an origin too.
        for endpoint in ["", "realtime.endpoint = 'ws://10.0.0.5:8080/x'"] {
            let text = format!("{realtime}{endpoint}\n");
            let owned = read(&text).of_tenant(tenant(), &allowed().credentials).unwrap();
            let id = NewId::at(OffsetDateTime::UNIX_EPOCH, [1; 10]);
            let made = owned.into_assistant(id.into(), id.into(), OffsetDateTime::UNIX_EPOCH);
            assert_eq!(made.tenant, tenant());
        }
        for endpoint in ["wss://evil.example/v1", "wss://api.openai.com:444/", "ws://10.0.0.6:8080/"] {
            let told = refused(&format!("{realtime}realtime.endpoint = '{endpoint}'\n"), tenant());
            assert_eq!(
                told,
                "realtime.endpoint: the key may only be sent to http://10.0.0.5:8080, https://api.openai.com"
            );
        }
        let told = refused(&realtime, stranger);
        assert!(told.starts_with(&format!("realtime.{part}: not a credential")), "{told}");
        assert!(!told.contains("api.openai.com"), "{told}");
        for service in ["chat", "transcription", "speech"] {
            let own = format!("{CASCADE}{service}.{named}\n");
            assert!(read(&own).of_tenant(tenant(), &allowed().credentials).is_ok(), "{own}");
            let told = refused(&format!("{own}{service}.endpoint = 'https://evil.example/v1'\n"), tenant());
            assert!(told.starts_with(&format!("cascade.{service}.endpoint: the key may only")), "{told}");
            let told = refused(&own, stranger);
            assert!(told.starts_with(&format!("cascade.{service}.{part}: not a credential")), "{told}");
        }
    }
    for unknown in ["credential = 'other'", "key_variable = 'HOME'"] {
        let told = refused(&format!("{REALTIME}realtime.{unknown}\n"), tenant());
        assert!(told.contains("not a credential that the operator lets this tenant use"), "{told}");
        assert!(!told.contains("HOME"), "it may be a key: {told}");
    }
}

#[test]
fn what_another_engine_has_or_what_is_missing_is_told() {
    for more in ["closing_line = 'x'", "reprompt = 'x'", "[[steps]]\nwait_for = 'speech'"] {
        let text = told(REALTIME, more);
        assert!(text.contains("goes with engine = \"builtin\" only"), "{more}: {text}");
    }
    let cascade = CASCADE.replace("engine = 'cascade'", "engine = 'realtime'");
    assert!(told(&cascade, "").contains("goes with engine = \"cascade\" only"));
    let least = |engine: &str| format!("name = 'A'\nengine = '{engine}'\n");
    assert!(told(&least("realtime"), "instructions = 'x'").contains("needs a table [realtime]"));
    assert!(told(&least("cascade"), "instructions = 'x'").contains("needs [cascade]"));
    assert!(told(&least("realtime"), "realtime.model = 'm'").contains("instructions: an AI needs them"));
}
