//! A sentence for each action: a new one does not compile without its words in both languages.

use domain::audit::{Action, AuditEntry, changed_role, moved_number};

use crate::language::Language;
use crate::pages::account::role;

/// What was done, to what: `made the API key “ci”`.
pub(super) fn sentence(entry: &AuditEntry, language: Language) -> String {
    let told = words(entry.action, language);
    let quoted = |name: &str| {
        let (open, close) = language.pick(("“", "”"), ("«\u{a0}", "\u{a0}»"));
        format!("{open}{name}{close}")
    };
    let name = entry.name.as_deref();
    if entry.action == Action::UserRole
        && let Some((email, new)) = name.and_then(changed_role)
    {
        let to = language.pick("to", "pour");
        return format!("{} {to} {}", told.replace("{}", &quoted(email)), quoted(role(language, new)));
    }
    if entry.action == Action::NumberMove
        && let Some((number, trunk)) = name.and_then(moved_number)
    {
        let to = language.pick("to the trunk", "vers la ligne SIP");
        return format!("{} {to} {}", told.replace("{}", &quoted(number)), quoted(trunk));
    }
    told.replace("{}", &name.map_or_else(|| entry.subject.clone(), quoted))
}

/// The words, with `{}` for what it was done to.
const fn words(action: Action, language: Language) -> &'static str {
    match (action, language) {
        (Action::KeyCreate, Language::English) => "made the API key {}",
        (Action::KeyCreate, Language::French) => "a créé la clé d’API {}",
        (Action::KeyRevoke, Language::English) => "deleted the API key {}",
        (Action::KeyRevoke, Language::French) => "a supprimé la clé d’API {}",
        (Action::SecretShow, Language::English) => "looked at the callback secret of {}",
        (Action::SecretShow, Language::French) => "a consulté le secret de rappel HTTP de {}",
        (Action::SecretRotate, Language::English) => "put a new callback secret in force for {}",
        (Action::SecretRotate, Language::French) => {
            "a mis en vigueur un nouveau secret de rappel HTTP pour {}"
        }
        (Action::CallbackRedeliver, Language::English) => "sent a callback again by hand, to {}",
        (Action::CallbackRedeliver, Language::French) => "a renvoyé un rappel HTTP à la main, à {}",
        (Action::UserCreate, Language::English) => "added the user {}",
        (Action::UserCreate, Language::French) => "a ajouté la personne {}",
        (Action::UserInvite, Language::English) => "invited {}",
        (Action::UserInvite, Language::French) => "a invité {}",
        (Action::UserRole, Language::English) => "changed the role of {}",
        (Action::UserRole, Language::French) => "a changé le rôle de {}",
        (Action::UserRemove, Language::English) => "removed the user {}",
        (Action::UserRemove, Language::French) => "a retiré la personne {}",
        (Action::UserPassword, Language::English) => "set a new password for {}",
        (Action::UserPassword, Language::French) => "a défini un nouveau mot de passe pour {}",
        (Action::SignIn, Language::English) => "signed in",
        (Action::SignIn, Language::French) => "a ouvert une session",
        (Action::SignOutEverywhere, Language::English) => "ended all sessions of {}",
        (Action::SignOutEverywhere, Language::French) => "a fermé toutes les sessions de {}",
        (Action::TenantCreate, Language::English) => "set up the company {}",
        (Action::TenantCreate, Language::French) => "a créé l’entreprise {}",
        (Action::OrganizationCreate, Language::English) => "made the organization {}",
        (Action::OrganizationCreate, Language::French) => "a créé l’organisation {}",
        (Action::OrganizationUpdate, Language::English) => "changed the organization {}",
        (Action::OrganizationUpdate, Language::French) => "a modifié l’organisation {}",
        (Action::OrganizationDelete, Language::English) => "deleted the organization {}",
        (Action::OrganizationDelete, Language::French) => "a supprimé l’organisation {}",
        (Action::MetadataReplace, Language::English) => "replaced the metadata of {}",
        (Action::MetadataReplace, Language::French) => "a remplacé les métadonnées de {}",
        (Action::SchemaPut, Language::English) => "put a new metadata schema in force for {}",
        (Action::SchemaPut, Language::French) => "a mis en vigueur un nouveau schéma de métadonnées pour {}",
        (Action::AssistantCreate, Language::English) => "made the assistant {}",
        (Action::AssistantCreate, Language::French) => "a créé l’assistant {}",
        (Action::AssistantUpdate, Language::English) => "changed the assistant {}",
        (Action::AssistantUpdate, Language::French) => "a modifié l’assistant {}",
        (Action::AssistantDelete, Language::English) => "took the assistant {} out of use",
        (Action::AssistantDelete, Language::French) => "a retiré l’assistant {} du service",
        (Action::ProviderKeySet, Language::English) => "set a provider key of the assistant {}",
        (Action::ProviderKeySet, Language::French) => "a défini une clé de fournisseur de l’assistant {}",
        (Action::NumberCreate, Language::English) => "added the number {}",
        (Action::NumberCreate, Language::French) => "a ajouté le numéro {}",
        (Action::NumberMove, Language::English) => "moved the number {}",
        (Action::NumberMove, Language::French) => "a déplacé le numéro {}",
        (Action::NumberDelete, Language::English) => "took the number {} out of use",
        (Action::NumberDelete, Language::French) => "a retiré le numéro {} du service",
        (Action::TrunkCreate, Language::English) => "added the trunk {}",
        (Action::TrunkCreate, Language::French) => "a ajouté la ligne SIP {}",
        (Action::TrunkUpdate, Language::English) => "changed the trunk {}",
        (Action::TrunkUpdate, Language::French) => "a modifié la ligne SIP {}",
        (Action::TrunkDelete, Language::English) => "took the trunk {} out of use",
        (Action::TrunkDelete, Language::French) => "a retiré la ligne SIP {} du service",
        (Action::CallPlace, Language::English) => "placed a call by hand, to {}",
        (Action::CallPlace, Language::French) => "a passé un appel à la main, au {}",
        (Action::CallHangUp, Language::English) => "hung up a live call with {}",
        (Action::CallHangUp, Language::French) => "a raccroché un appel en cours avec {}",
    }
}

#[cfg(test)]
mod tests {
    use domain::audit::{Actor, Deed, number_move, role_change};
    use domain::ids::{AuditId, TenantId};
    use domain::number::E164;
    use domain::user::Role;
    use time::OffsetDateTime;

    const ID: &str = "0190a6e0-7e6b-7cc0-98b7-2f7c1c2f4a11";

    use super::*;

    fn entry(action: Action, name: Option<&str>) -> AuditEntry {
        AuditEntry {
            id: AuditId::parse(ID).unwrap(),
            tenant: TenantId::parse(ID).unwrap(),
            organization: None,
            deed: Deed { actor: Actor::Operator, from: None, at: OffsetDateTime::UNIX_EPOCH },
            action,
            subject: "0190".to_owned(),
            name: name.map(str::to_owned),
        }
    }

    #[test]
    fn each_action_has_a_sentence_of_its_own_in_both_languages() {
        for language in Language::ALL {
            let mut told: Vec<_> =
                Action::ALL.iter().map(|action| sentence(&entry(*action, Some("ci")), language)).collect();
            assert!(told.iter().all(|sentence| !sentence.contains("{}") && !sentence.is_empty()));
            told.sort_unstable();
            told.dedup();
            assert_eq!(told.len(), Action::ALL.len());
        }
        let made = |language, name| sentence(&entry(Action::KeyCreate, name), language);
        assert_eq!(made(Language::English, Some("ci")), "made the API key “ci”");
        assert_eq!(made(Language::French, Some("ci")), "a créé la clé d’API «\u{a0}ci\u{a0}»");
        assert_eq!(made(Language::English, None), "made the API key 0190");
        let name = role_change("ada@clinic.example", Role::Admin);
        let role = |language| sentence(&entry(Action::UserRole, Some(&name)), language);
        assert_eq!(role(Language::English), "changed the role of “ada@clinic.example” to “Administrator”");
        assert_eq!(
            role(Language::French),
            "a changé le rôle de «\u{a0}ada@clinic.example\u{a0}» pour «\u{a0}Administration\u{a0}»"
        );
        let name = number_move(&E164::parse("+14155550100").unwrap(), "Carrier → 2");
        let moved = |language| sentence(&entry(Action::NumberMove, Some(&name)), language);
        assert_eq!(moved(Language::English), "moved the number “+14155550100” to the trunk “Carrier → 2”");
        assert_eq!(
            moved(Language::French),
            "a déplacé le numéro «\u{a0}+14155550100\u{a0}» vers la ligne SIP «\u{a0}Carrier → 2\u{a0}»"
        );
        let earlier = entry(Action::UserRole, Some("ada@clinic.example"));
        assert_eq!(sentence(&earlier, Language::English), "changed the role of “ada@clinic.example”");
    }
}
