//! What is wrong with a schema, and with data that does not match one.

use domain::schema::{Broken, DataType, Flaw, Mismatch, Reason, UnsafeSchema};

use super::Tell;

impl Tell for UnsafeSchema {
    fn french(&self) -> String {
        match &self.place {
            None => flaw(&self.flaw),
            Some(place) => at(place, &flaw(&self.flaw)),
        }
    }
}

impl Tell for Mismatch {
    fn french(&self) -> String {
        let (problems, more) = match &self.reason {
            Reason::TooDeep => return "les métadonnées sont imbriquées trop profondément".to_owned(),
            Reason::TooLarge => {
                return "les métadonnées sont trop volumineuses pour être vérifiées par leur schéma"
                    .to_owned();
            }
            Reason::Somewhere => {
                return "les métadonnées ne conviennent pas, et sont trop volumineuses pour dire où"
                    .to_owned();
            }
            Reason::At { problems, more } => (problems, *more),
        };
        let mut told: Vec<_> = problems.iter().map(|(place, own)| at(place, &broken(own))).collect();
        match more {
            0 => {}
            1 => told.push("et un autre problème".to_owned()),
            _ => told.push(format!("et {more} autres problèmes")),
        }
        told.join("; ")
    }
}

fn at(place: &str, what: &str) -> String {
    if place.is_empty() { format!("à la racine : {what}") } else { format!("à {place} : {what}") }
}

fn flaw(flaw: &Flaw) -> String {
    let words = match flaw {
        Flaw::NoObject => "un schéma est un objet JSON",
        Flaw::TooLarge(bytes, most) => {
            return format!("le schéma compte {bytes} octets, et au plus {most} sont permis");
        }
        Flaw::TooDeep(most) => return format!("le schéma est imbriqué sur plus de {most} niveaux"),
        Flaw::NulInName => "un nom qui contient un caractère NUL ne peut pas être enregistré",
        Flaw::Nul => "un caractère NUL ne peut pas être enregistré",
        Flaw::NumberTooLarge => "le nombre est trop grand",
        Flaw::Dialect(only) => return format!("le dialecte doit être {only}"),
        Flaw::Vocabulary => "les vocabulaires ne se choisissent pas : omettez $vocabulary",
        Flaw::RecursiveRef => {
            "$recursiveRef appartient à un dialecte antérieur : utilisez $dynamicRef ou $ref"
        }
        Flaw::RecursiveAnchor => {
            "$recursiveAnchor appartient à un dialecte antérieur : utilisez $dynamicAnchor"
        }
        Flaw::Dependencies => {
            "dependencies appartient à un dialecte antérieur : utilisez dependentSchemas ou dependentRequired"
        }
        Flaw::AdditionalItems => {
            "additionalItems appartient à un dialecte antérieur : utilisez prefixItems et items"
        }
        Flaw::AtTheTopOnly(keyword) => return format!("{keyword} n’est permis qu’à la racine"),
        Flaw::SameAnchor => "un autre sous-schéma porte la même ancre",
        Flaw::LeadsOut(target) => {
            return format!("la référence « {target} » mène hors du schéma : seul #… est permis");
        }
        Flaw::NotUtf8(target) => return format!("la référence « {target} » n’est pas en UTF-8"),
        Flaw::LeadsNowhere(target) => {
            return format!("la référence « {target} » ne mène à aucun sous-schéma");
        }
        Flaw::Circle => "les références tournent en rond sans avancer dans les données",
        Flaw::LongChain(most) => {
            return format!("plus de {most} références et combinaisons se suivent");
        }
        Flaw::Avalanche(most) => {
            return format!(
                "une fois ses références suivies, une valeur affronterait plus de {most} sous-schémas"
            );
        }
        Flaw::ManyPatterns(most) => return format!("le schéma contient plus de {most} motifs"),
        Flaw::LargePatterns(most) => {
            return format!("une fois compilés, les motifs du schéma prennent plus de {most} octets");
        }
        Flaw::LooksAround => {
            "les motifs ne peuvent pas regarder autour d’eux, car cela prend un temps illimité"
        }
        Flaw::RefersBack => "les motifs ne peuvent pas renvoyer en arrière, car cela prend un temps illimité",
        Flaw::BadPattern(most) => {
            return format!(
                "le motif n’est pas une expression régulière, ou prend plus de {most} octets une fois compilé"
            );
        }
        Flaw::Unfit { broken: own, .. } => return broken(own),
        // It was broken off, which nobody meets who writes schemas.
        Flaw::Unjudged(_) => "le schéma n’a pas pu être examiné",
    };
    words.to_owned()
}

fn broken(own: &Broken) -> String {
    let words = match own {
        Broken::Type(types) => {
            let types: Vec<_> = types.iter().map(|own| data_type(*own)).collect();
            return format!("on attend {}", types.join(" ou "));
        }
        Broken::Enum(all) => return format!("on attend l’une de ces valeurs : {all}"),
        Broken::Const(only) => return format!("on attend {only}"),
        Broken::Required(name) => return format!("il manque {name}"),
        Broken::UnexpectedMembers(names) if names.is_empty() => "il y a des membres imprévus",
        Broken::UnexpectedMembers(names) => return format!("membres imprévus : {}", names.join(", ")),
        Broken::UnexpectedItems => "la liste a des éléments imprévus",
        Broken::Minimum(least) => return format!("la valeur est inférieure au minimum, {least}"),
        Broken::ExclusiveMinimum(least) => return format!("la valeur doit être supérieure à {least}"),
        Broken::Maximum(most) => return format!("la valeur est supérieure au maximum, {most}"),
        Broken::ExclusiveMaximum(most) => return format!("la valeur doit être inférieure à {most}"),
        Broken::MultipleOf(of) => return format!("la valeur n’est pas un multiple de {of}"),
        Broken::MinLength(least) => return format!("moins de caractères que le minimum, {least}"),
        Broken::MaxLength(most) => return format!("plus de caractères que le maximum, {most}"),
        Broken::MinItems(least) => return format!("moins d’éléments que le minimum, {least}"),
        Broken::MaxItems(most) => return format!("plus d’éléments que le maximum, {most}"),
        Broken::MinProperties(least) => return format!("moins de membres que le minimum, {least}"),
        Broken::MaxProperties(most) => return format!("plus de membres que le maximum, {most}"),
        Broken::Pattern(pattern) => return format!("le texte ne correspond pas au motif {pattern}"),
        Broken::UniqueItems => "des éléments de la liste sont identiques",
        Broken::Contains => "aucun élément n’est comme il en faut un",
        Broken::NoneFits => "la valeur ne convient à aucun des schémas possibles",
        Broken::SeveralFit => "la valeur convient à plus d’un schéma, alors qu’un seul est permis",
        Broken::Forbidden => "cette valeur n’est pas permise ici",
        // No words of ours fit: the library's are better than none.
        Broken::Other(words) => words,
    };
    words.to_owned()
}

const fn data_type(own: DataType) -> &'static str {
    match own {
        DataType::Null => "null",
        DataType::Boolean => "true ou false",
        DataType::Integer => "un nombre entier",
        DataType::Number => "un nombre",
        DataType::String => "un texte",
        DataType::Array => "une liste",
        DataType::Object => "un objet",
    }
}
