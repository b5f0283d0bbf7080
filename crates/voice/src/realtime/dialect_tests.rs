use domain::assistant::tool::{Tool, ToolForm};
use domain::assistant::{Brain, Language, Provider, ProviderKey};
use domain::ids::{CallId, TenantId};

use super::*;

fn realtime(endpoint: &str, dialect: Dialect) -> Realtime {
    Realtime {
        provider: Provider {
            endpoint: Url::parse(endpoint).unwrap(),
            model: "gpt realtime".to_owned(),
            key: ProviderKey::None,
        },
        dialect,
        voice: Some("marin".to_owned()),
        transcription_model: Some("gpt-4o-transcribe".to_owned()),
    }
}

fn shaped(dialect: Dialect, call: AudioFormat) -> Value {
    let realtime = realtime("wss://host", dialect);
    let spec = AgentSpec {
        call: CallId::parse("01890a5d-ac96-774b-bcce-b302099a8057").unwrap(),
        tenant: TenantId::from_uuid(uuid::Uuid::nil()),
        brain: Brain::Realtime(realtime.clone()),
        instructions: "Sell nothing.".to_owned(),
        language: Language::French,
        tools: vec![ToolForm {
            tool: Tool::EndCall,
            description: "Hang up.".to_owned(),
            parameters: json!({"type": "object"}),
        }],
    };
    session(dialect, &realtime, &spec, call)
}

#[test]
fn the_address_holds_the_model_and_gets_the_usual_path_when_it_has_none() {
    let url = |endpoint, dialect| url(dialect, &realtime(endpoint, dialect)).to_string();
    assert_eq!(
        url("wss://api.openai.com", Dialect::OpenAi),
        "wss://api.openai.com/v1/realtime?model=gpt+realtime"
    );
    assert_eq!(
        url("wss://x.openai.azure.com/", Dialect::Azure),
        "wss://x.openai.azure.com/openai/v1/realtime?model=gpt+realtime"
    );
    assert_eq!(url("ws://10.0.0.1:80/rt?model=a&b=c", Dialect::LocalAi), "ws://10.0.0.1/rt?model=a&b=c");
}

#[test]
fn azure_has_a_header_of_its_own_and_no_credentials_can_be_printed() {
    let (name, value) = credentials(Dialect::Azure, "abc").unwrap();
    assert_eq!((name.as_str(), value.as_bytes()), ("api-key", &b"abc"[..]));
    let (name, value) = credentials(Dialect::OpenAi, "abc").unwrap();
    assert_eq!((name, value.as_bytes()), (AUTHORIZATION, &b"Bearer abc"[..]));
    assert_eq!(format!("{value:?}"), "Sensitive");
    assert!(credentials(Dialect::OpenAi, "a\nb").is_err());
}

#[test]
fn a_session_is_shaped_as_published() {
    let expected = json!({
        "type": "realtime", "instructions": "Sell nothing.", "output_modalities": ["audio"],
        "audio": {
            "input": {
                "format": {"type": "audio/pcmu"},
                "transcription": {"model": "gpt-4o-transcribe", "language": "fr"},
                "turn_detection": {
                    "type": "server_vad", "threshold": 0.5, "prefix_padding_ms": 300,
                    "silence_duration_ms": 500, "create_response": false, "interrupt_response": false,
                },
            },
            "output": {"format": {"type": "audio/pcmu"}, "voice": "marin"},
        },
        "tools": [{
            "type": "function", "name": "end_call", "description": "Hang up.", "parameters": {"type": "object"},
        }],
        "tool_choice": "auto",
    });
    for dialect in [Dialect::OpenAi, Dialect::Azure, Dialect::Speaches] {
        assert_eq!(shaped(dialect, AudioFormat::Pcmu), expected, "{dialect}");
    }
}

#[test]
fn xai_has_voice_and_turn_detection_at_the_top() {
    let session = shaped(Dialect::XAi, AudioFormat::Pcma);
    assert_eq!(session["voice"], "marin");
    assert_eq!(session["turn_detection"]["create_response"], false);
    assert_eq!(session["audio"]["output"], json!({"format": {"type": "audio/pcma"}}));
    assert!(session["audio"]["input"].get("turn_detection").is_none());
}

#[test]
fn localai_is_asked_for_pcm() {
    let session = shaped(Dialect::LocalAi, AudioFormat::Pcma);
    assert_eq!(session["audio"]["input"]["format"], json!({"type": "audio/pcm", "rate": 24_000}));
}
