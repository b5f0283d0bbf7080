//! Why a try of a callback came to no answer, in the reader's language: it is kept in English.

use domain::network::{Refused, UnfitUrl, WebProtocol};

use crate::language::Language;
use crate::tell::unfit;

/// The cause; one that is not known here stays as it was kept.
pub(crate) fn cause(why: &str, language: Language) -> &str {
    match language {
        Language::English => why,
        Language::French => french(why).unwrap_or(why),
    }
}

fn french(why: &str) -> Option<&'static str> {
    Some(match why {
        "the connection was refused" => "la connexion a été refusée",
        "the connection was reset" => "la connexion a été interrompue",
        "no route to the host" => "aucun chemin ne mène à l’hôte",
        "the host did not answer" => "l’hôte n’a pas répondu",
        "no connection" => "aucune connexion",
        "the connection took too long" => "la connexion a pris trop de temps",
        "the name does not resolve" => "le nom est introuvable",
        "the name has no address" => "le nom n’a pas d’adresse",
        "the host cannot be named in TLS" => "l’hôte ne peut pas être nommé en TLS",
        "TLS: the certificate's issuer is not trusted" => "TLS : l’émetteur du certificat n’est pas reconnu",
        "TLS: the certificate has expired" => "TLS : le certificat a expiré",
        "TLS: the certificate is not valid yet" => "TLS : le certificat n’est pas encore valide",
        "TLS: the certificate is for another name" => "TLS : le certificat est établi pour un autre nom",
        "TLS: the certificate was revoked" => "TLS : le certificat a été révoqué",
        "TLS: the certificate is not valid" => "TLS : le certificat n’est pas valide",
        "TLS: the receiver refused the handshake" => "TLS : le destinataire a refusé la négociation",
        "TLS: the handshake failed" => "TLS : la négociation a échoué",
        "the connection broke during the TLS handshake" => {
            "la connexion a été coupée pendant la négociation TLS"
        }
        "the answer is not HTTP/1.1, or its head is too large" => {
            "la réponse n’est pas du HTTP/1.1, ou son en-tête est trop volumineux"
        }
        "the connection closed before an answer" => "la connexion a été fermée avant toute réponse",
        "the URL cannot be requested" => "l’URL ne peut pas être demandée",
        "the URL names no port" => "l’URL n’indique aucun port",
        "this server had too many tries under way" => "ce serveur avait trop d’essais en cours",
        _ => return GUARD.into_iter().find(|own| own.as_str() == why).map(unfit),
    })
}

/// What the address guard says of callbacks.
const GUARD: [UnfitUrl; 14] = [
    UnfitUrl::NoHost,
    UnfitUrl::Scheme(WebProtocol::Http),
    UnfitUrl::Plain(WebProtocol::Http),
    UnfitUrl::Localhost,
    UnfitUrl::Address(Refused::Unspecified),
    UnfitUrl::Address(Refused::Loopback),
    UnfitUrl::Address(Refused::Private),
    UnfitUrl::Address(Refused::LinkLocal),
    UnfitUrl::Address(Refused::CarrierGradeNat),
    UnfitUrl::Address(Refused::Multicast),
    UnfitUrl::Address(Refused::Documentation),
    UnfitUrl::Address(Refused::Embedded),
    UnfitUrl::Address(Refused::Reserved),
    UnfitUrl::Address(Refused::Own),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_guard_says_is_said_in_french() {
        for why in GUARD.map(UnfitUrl::as_str) {
            assert_ne!(cause(why, Language::French), why);
            assert_eq!(cause(why, Language::English), why);
        }
    }

    #[test]
    fn what_is_not_known_stays_as_it_was_kept() {
        assert_eq!(cause("a cause of an earlier release", Language::French), "a cause of an earlier release");
    }
}
