//! The OpenAPI document, made of what the endpoints say of themselves beside their own limits.

mod description;
mod headers;
mod overview;
mod refusals;
pub(crate) mod schema;

use std::collections::BTreeMap;

use utoipa::openapi::path::{HttpMethod, Paths};
use utoipa::openapi::schema::{Components, ComponentsBuilder};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::server::ServerBuilder;
use utoipa::openapi::{InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder};

pub(crate) use self::description::Description;
pub(crate) use self::overview::Tag;
use self::schema::Part;
use crate::routes::ENDPOINTS;

/// The name of the one way to authenticate.
const SECURITY_SCHEME: &str = "apiKey";

/// The document as JSON with line breaks, as `GET /api/openapi.json` sends it.
pub fn openapi_document() -> String {
    let mut text = document().to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
}

fn document() -> OpenApi {
    let (mut paths, mut parts) = (Paths::new(), BTreeMap::new());
    for part in refusals::PARTS {
        gather(part, &mut parts);
    }
    for endpoint in ENDPOINTS {
        let description = (endpoint.describe)();
        for part in description.parts() {
            gather(part, &mut parts);
        }
        let method = method(endpoint.method.as_str());
        paths.add_path_operation(endpoint.path, vec![method], description.complete(endpoint));
    }
    let info = InfoBuilder::new()
        .title("Callwright")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(overview::TEXT))
        .license(Some(
            LicenseBuilder::new().name("Apache-2.0 OR MIT").identifier(Some("Apache-2.0 OR MIT")).build(),
        ));
    OpenApiBuilder::new()
        .info(info)
        .servers(Some([ServerBuilder::new().url("/").description(Some("This service")).build()]))
        .tags(Some(overview::tags()))
        .paths(paths)
        .components(Some(components(&parts)))
        .build()
}

/// Notes a part and everything that it refers to.
fn gather(part: &'static Part, parts: &mut BTreeMap<&'static str, &'static Part>) {
    if parts.insert(part.name, part).is_none() {
        part.uses.iter().for_each(|used| gather(used, parts));
    }
}

fn components(parts: &BTreeMap<&'static str, &'static Part>) -> Components {
    let key = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(overview::KEYS));
    let mut components = ComponentsBuilder::new()
        .schemas_from_iter(parts.iter().map(|(name, part)| (*name, (part.shape)())))
        .responses_from_iter(refusals::shared())
        .security_scheme(SECURITY_SCHEME, SecurityScheme::Http(key.build()));
    for (name, header) in headers::of_answers() {
        components = components.header(name, header);
    }
    for (name, parameter) in headers::of_requests() {
        components = components.parameter(name, parameter);
    }
    components.build()
}

/// The table holds these methods only.
fn method(name: &str) -> HttpMethod {
    match name {
        "POST" => HttpMethod::Post,
        "PUT" => HttpMethod::Put,
        "DELETE" => HttpMethod::Delete,
        "PATCH" => HttpMethod::Patch,
        _ => HttpMethod::Get,
    }
}
