//! The words of placing a call.

use domain::test_line::TestCallee;

use crate::language::Language;

/// The page's words in one language.
pub(super) struct Words {
    pub(super) title: &'static str,
    pub(super) no_assistant: &'static str,
    pub(super) no_assistant_advice: &'static str,
    pub(super) no_assistant_ask: &'static str,
    pub(super) make_example: &'static str,
    pub(super) write_own: &'static str,
    pub(super) phone_title: &'static str,
    pub(super) phone_about: &'static str,
    pub(super) what_it_does: &'static str,
    pub(super) call_phone: &'static str,
    pub(super) number_title: &'static str,
    pub(super) number_about: &'static str,
    pub(super) no_number: &'static str,
    pub(super) no_number_advice: &'static str,
    pub(super) to_numbers: &'static str,
    pub(super) assistant: &'static str,
    pub(super) from: &'static str,
    pub(super) phone_number: &'static str,
    pub(super) phone_number_hint: &'static str,
    pub(super) customer_name: &'static str,
    pub(super) customer_name_hint: &'static str,
    pub(super) variables: &'static str,
    pub(super) variables_hint: &'static str,
    pub(super) callback_url: &'static str,
    pub(super) callback_url_hint: &'static str,
    pub(super) call: &'static str,
    pub(super) not_found: &'static str,
    pub(super) inactive: &'static str,
    pub(super) sent_before: &'static str,
    pub(super) hang_up: &'static str,
    pub(super) hang_up_text: &'static str,
    bad_line: fn(usize) -> String,
    callees: fn(TestCallee) -> &'static str,
}

impl Words {
    /// What the built-in phone will do.
    pub(super) fn callee(&self, callee: TestCallee) -> &'static str {
        (self.callees)(callee)
    }

    /// A line of the variables that could not be read.
    pub(super) fn unreadable_line(&self, line: usize) -> String {
        (self.bad_line)(line)
    }
}

pub(super) const fn of(language: Language) -> &'static Words {
    match language {
        Language::English => &ENGLISH,
        Language::French => &FRENCH,
    }
}

const ENGLISH: Words = Words {
    title: "Place a call",
    no_assistant: "There is no assistant yet",
    no_assistant_advice: "An assistant is who speaks on the call. Begin with a ready example: it needs no provider \
                          and no key, and you can call with it right away.",
    no_assistant_ask: "Somebody who may write assistants has to make one first.",
    make_example: "Make an example assistant",
    write_own: "Write one myself",
    phone_title: "Try it on the built-in phone",
    phone_about: "A telephone inside Callwright takes the call: real signalling and sound, but no trunk and no cost.",
    what_it_does: "What the phone does",
    call_phone: "Call the built-in phone",
    number_title: "Call a number",
    number_about: "A real call over one of your trunks, as POST /api/outbound places it.",
    no_number: "There is no number to call from yet.",
    no_number_advice: "A number belongs to a trunk, which connects Callwright with the telephone network.",
    to_numbers: "Add a number",
    assistant: "Assistant",
    from: "Call from",
    phone_number: "Phone number",
    phone_number_hint: "With its country code, e.g. +1 416 555 0123.",
    customer_name: "Customer’s name",
    customer_name_hint: "Optional; {{customerName}} in the assistant’s lines.",
    variables: "Dynamic variables",
    variables_hint: "Optional; a line name=value for each, or a JSON object.",
    callback_url: "Callback URL",
    callback_url_hint: "Optional; where the end of the call is reported.",
    call: "Call now",
    not_found: "Assistant or phone number not found",
    inactive: "Organization is inactive",
    sent_before: "This form was sent before with other values. Check them and send it once more.",
    hang_up: "Hang up",
    hang_up_text: "The assistant stops in the middle of its words and the call ends. Its record stays.",
    bad_line: |line| format!("Line {line}: expected name=value"),
    callees: |callee| match callee {
        TestCallee::Answers => "Answers, has a short talk and hangs up",
        TestCallee::PressesKeys => "Answers and presses the keys 1, 2 and #",
        TestCallee::Voicemail => "A voicemail: a greeting and a beep",
        TestCallee::Busy => "Is busy",
        TestCallee::NeverAnswers => "Rings, but nobody answers",
        TestCallee::Declines => "Declines the call",
    },
};

const FRENCH: Words = Words {
    title: "Passer un appel",
    no_assistant: "Il n’y a pas encore d’assistant",
    no_assistant_advice: "L’assistant est la voix de l’appel. Commencez avec un exemple tout prêt : il ne demande ni \
                          fournisseur ni clé, et vous pouvez appeler tout de suite.",
    no_assistant_ask: "Une personne qui peut écrire des assistants doit d’abord en créer un.",
    make_example: "Créer un assistant d’exemple",
    write_own: "En écrire un moi-même",
    phone_title: "L’essayer sur le téléphone intégré",
    phone_about: "Un téléphone à l’intérieur de Callwright prend l’appel : signalisation et son véritables, sans ligne SIP ni frais.",
    what_it_does: "Ce que fait le téléphone",
    call_phone: "Appeler le téléphone intégré",
    number_title: "Appeler un numéro",
    number_about: "Un véritable appel sur l’une de vos lignes SIP, comme le passe POST /api/outbound.",
    no_number: "Il n’y a pas encore de numéro d’où appeler.",
    no_number_advice: "Un numéro appartient à une ligne SIP, qui relie Callwright au réseau téléphonique.",
    to_numbers: "Ajouter un numéro",
    assistant: "Assistant",
    from: "Appeler de",
    phone_number: "Numéro de téléphone",
    phone_number_hint: "Avec l’indicatif du pays, p. ex. +1 416 555 0123.",
    customer_name: "Nom du client",
    customer_name_hint: "Facultatif; {{customerName}} dans les répliques de l’assistant.",
    variables: "Variables dynamiques",
    variables_hint: "Facultatif; une ligne nom=valeur pour chacune, ou un objet JSON.",
    callback_url: "URL de rappel HTTP",
    callback_url_hint: "Facultatif; où la fin de l’appel est annoncée.",
    call: "Appeler maintenant",
    not_found: "Assistant ou numéro introuvable",
    inactive: "L’organisation est inactive",
    sent_before: "Ce formulaire a déjà été envoyé avec d’autres valeurs. Vérifiez-les et envoyez-le de nouveau.",
    hang_up: "Raccrocher",
    hang_up_text: "L’assistant s’interrompt au milieu de ses mots et l’appel prend fin. Son dossier reste.",
    bad_line: |line| format!("Ligne {line} : on attend nom=valeur"),
    callees: |callee| match callee {
        TestCallee::Answers => "Répond, parle un peu et raccroche",
        TestCallee::PressesKeys => "Répond et appuie sur les touches 1, 2 et #",
        TestCallee::Voicemail => "Une boîte vocale : un message d’accueil et un bip",
        TestCallee::Busy => "Est occupé",
        TestCallee::NeverAnswers => "Sonne, mais personne ne répond",
        TestCallee::Declines => "Refuse l’appel",
    },
};
