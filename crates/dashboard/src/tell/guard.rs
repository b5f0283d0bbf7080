//! What the address guard refuses.

use domain::network::{BadEndpoint, Refused, UnfitUrl, WebProtocol};

/// Why a provider's endpoint is refused, in French.
pub(super) fn endpoint(why: BadEndpoint) -> String {
    let words = match why {
        BadEndpoint::Malformed => "ce n’est pas une URL",
        BadEndpoint::TooLong => "plus de 2048 caractères",
        BadEndpoint::Extras => "un nom d’utilisateur, un mot de passe ou un fragment n’y ont pas leur place",
        BadEndpoint::Unfit(why) => return host(why, "ENGINES__ALLOWED_NETWORKS"),
    };
    words.to_owned()
}

/// Why a host is refused, and by what setting the operator can allow it, in French.
pub(super) fn host(why: UnfitUrl, setting: &str) -> String {
    let words = unfit(why);
    if why.is_of_a_network() {
        format!("{words}; l’exploitant peut permettre son réseau par {setting}")
    } else {
        words.to_owned()
    }
}

/// Why a URL or a host is not called, in French.
pub(crate) const fn unfit(why: UnfitUrl) -> &'static str {
    match why {
        UnfitUrl::NoHost => "l’URL n’indique aucun hôte",
        UnfitUrl::Scheme(WebProtocol::Http) => "ce n’est pas une URL http ou https",
        UnfitUrl::Scheme(WebProtocol::WebSocket) => "ce n’est pas une URL ws ou wss",
        UnfitUrl::Plain(WebProtocol::Http) => "http non chiffré hors des réseaux permis",
        UnfitUrl::Plain(WebProtocol::WebSocket) => "ws non chiffré hors des réseaux permis",
        UnfitUrl::Localhost => "un nom de cette machine",
        UnfitUrl::Address(Refused::Unspecified) => "l’adresse n’indique aucun hôte",
        UnfitUrl::Address(Refused::Loopback) => "adresse de bouclage",
        UnfitUrl::Address(Refused::Private) => "adresse privée",
        UnfitUrl::Address(Refused::LinkLocal) => "adresse locale au lien",
        UnfitUrl::Address(Refused::CarrierGradeNat) => "adresse NAT de l’opérateur",
        UnfitUrl::Address(Refused::Multicast) => "adresse de multidiffusion ou de diffusion",
        UnfitUrl::Address(Refused::Documentation) => "adresse réservée à la documentation ou aux essais",
        UnfitUrl::Address(Refused::Embedded) => "adresse IPv6 qui contient une adresse IPv4",
        UnfitUrl::Address(Refused::Reserved) => "adresse réservée",
        UnfitUrl::Address(Refused::Own) => "adresse de ce service",
    }
}
