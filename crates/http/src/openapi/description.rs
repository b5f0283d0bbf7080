//! What the document says of one endpoint: the endpoint tells what is its own, the rest is read off
//! its entry in the table.

use actix_web::http::StatusCode;
use serde_json::{Value, json};
use utoipa::openapi::content::{Content, ContentBuilder};
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::link::LinkBuilder;
use utoipa::openapi::path::{
    Callback, Operation, OperationBuilder, Parameter, ParameterBuilder, ParameterIn,
};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::schema::ObjectBuilder;
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{RefOr, Required};

use super::refusals::Refusals;
use super::schema::Part;
use super::{Tag, headers};
use crate::error::ApiError;
use crate::idempotency;
use crate::routes::{Endpoint, Needs};

const JSON: &str = "application/json";

/// One endpoint in its own words.
pub(crate) struct Description {
    id: &'static str,
    tag: Tag,
    summary: &'static str,
    words: &'static str,
    parameters: Vec<Parameter>,
    body: Option<(&'static Part, Content)>,
    once: bool,
    tagged: bool,
    ranged: bool,
    answer: ResponseBuilder,
    status: StatusCode,
    parts: Vec<&'static Part>,
    refusals: Vec<ApiError>,
    callback: Option<(&'static str, Callback)>,
}

impl Description {
    /// An endpoint by its name in programs, its place in the document, and what it does.
    pub(crate) fn new(id: &'static str, tag: Tag, summary: &'static str, words: &'static str) -> Self {
        Self {
            id,
            tag,
            summary,
            words,
            parameters: Vec::new(),
            body: None,
            once: false,
            tagged: false,
            ranged: false,
            answer: ResponseBuilder::new(),
            status: StatusCode::OK,
            parts: Vec::new(),
            refusals: Vec::new(),
            callback: None,
        }
    }

    /// A part of the path; the schema's words are the parameter's.
    pub(crate) fn path(self, name: &str, shape: ObjectBuilder) -> Self {
        self.parameter(name, ParameterIn::Path, true, shape)
    }

    /// A parameter of the query that has to be there.
    pub(crate) fn asks(self, name: &str, shape: ObjectBuilder) -> Self {
        self.parameter(name, ParameterIn::Query, true, shape)
    }

    /// A parameter of the query that may be missing.
    pub(crate) fn takes(self, name: &str, shape: ObjectBuilder) -> Self {
        self.parameter(name, ParameterIn::Query, false, shape)
    }

    fn parameter(mut self, name: &str, place: ParameterIn, required: bool, shape: ObjectBuilder) -> Self {
        let mut shape = shape.build();
        let parameter = ParameterBuilder::new()
            .name(name)
            .parameter_in(place)
            .required(if required { Required::True } else { Required::False })
            .description(shape.description.take())
            .schema(Some(shape));
        self.parameters.push(parameter.build());
        self
    }

    /// The body, with bodies to show by name.
    pub(crate) fn body(mut self, part: &'static Part, examples: &[(&str, Value)]) -> Self {
        self.body = Some((part, content(part, examples)));
        self
    }

    /// Says that `Idempotency-Key` is taken.
    pub(crate) fn once(mut self) -> Self {
        self.once = true;
        self.refusals.push(idempotency::KEY_TAKEN);
        self
    }

    /// The answer when all is well, with answers to show by name.
    pub(crate) fn answers(
        mut self,
        status: StatusCode,
        words: &str,
        part: &'static Part,
        examples: &[(&str, Value)],
    ) -> Self {
        self.parts.push(part);
        self.status = status;
        self.answer = self.answer.description(words).content(JSON, content(part, examples));
        self
    }

    /// The answer when all is well, where it is not one of the interface's own records.
    pub(crate) fn answers_with(mut self, kinds: &[&str], words: &str, shape: ObjectBuilder) -> Self {
        let shape = shape.build();
        self.answer = self.answer.description(words);
        for kind in kinds {
            let content = ContentBuilder::new().schema(Some(shape.clone()));
            self.answer = self.answer.content(*kind, content.build());
        }
        self
    }

    /// Says that the answer has a tag, by which the client may ask whether its own is still good.
    pub(crate) fn kept_by_tag(mut self) -> Self {
        self.answer = self.answer.header_ref(headers::TAG, headers::answer_reference(headers::TAG));
        self.tagged = true;
        self
    }

    /// Says that a part of the answer can be asked for, while it is the same version.
    pub(crate) fn in_parts(mut self) -> Self {
        self.ranged = true;
        self.refusals.push(ApiError::NoSuchPart { bytes: 960_044 });
        self
    }

    /// A request that the answer leads to, with where its path's `id` is found in the answer.
    pub(crate) fn leads_to(mut self, operation: &str, words: &str, id: &str) -> Self {
        let link = LinkBuilder::new().operation_id(operation).parameter("id", id).description(words);
        self.answer = self.answer.link(operation, link.build());
        self
    }

    /// What it says when it does not answer as asked, beside what every endpoint of its kind says.
    pub(crate) fn refuses(mut self, errors: impl IntoIterator<Item = ApiError>) -> Self {
        self.refusals.extend(errors);
        self
    }

    /// What the service sends later, to where the request says.
    pub(crate) fn calls_back(mut self, name: &'static str, part: &'static Part, callback: Callback) -> Self {
        self.parts.push(part);
        self.callback = Some((name, callback));
        self
    }

    /// The parts that it refers to.
    pub(super) fn parts(&self) -> impl Iterator<Item = &'static Part> {
        self.parts.iter().copied().chain(self.body.iter().map(|(part, _)| *part))
    }

    /// The whole, completed from the table.
    pub(super) fn complete(self, endpoint: &Endpoint) -> Operation {
        let counted = endpoint.limit.is_some();
        let words = [
            Some(self.words.to_owned()),
            needs_in_words(endpoint.needs),
            Some(limit_in_words(endpoint.limit)),
        ];
        let mut operation = OperationBuilder::new()
            .operation_id(Some(self.id))
            .tag(self.tag.name())
            .summary(Some(self.summary))
            .description(Some(words.into_iter().flatten().collect::<Vec<_>>().join("\n\n")))
            .securities(Some(security(endpoint.needs)))
            .extensions(
                endpoint.limit.map(|limit| Extensions::from_iter([("x-rate-limit", rate_limit(limit))])),
            );
        for parameter in self.parameters.clone() {
            operation = operation.parameter(parameter);
        }
        operation = operation.parameter_ref(headers::request_reference(headers::REQUEST_ID));
        let (mut answer, reads_body) = (self.answer, self.body.is_some());
        if self.once {
            operation = operation.parameter_ref(headers::request_reference(headers::IDEMPOTENCY_KEY));
            answer = answer.header_ref(headers::REPLAYED, headers::answer_reference(headers::REPLAYED));
        }
        if let Some((_, content)) = self.body {
            let body = RequestBodyBuilder::new().content(JSON, content).required(Some(Required::True));
            operation = operation.request_body(Some(body.build()));
        }
        if self.tagged {
            operation = operation.parameter_ref(headers::request_reference(headers::IF_NONE_MATCH));
            let same = ResponseBuilder::new()
                .description("The client's own version is still good.")
                .header_ref(headers::TAG, headers::answer_reference(headers::TAG));
            let same = with_common_headers(same, counted).build();
            operation = operation.response(StatusCode::NOT_MODIFIED.as_str(), same);
        }
        let answer = with_common_headers(answer, counted).build();
        if self.ranged {
            for name in [headers::RANGE, headers::IF_RANGE] {
                operation = operation.parameter_ref(headers::request_reference(name));
            }
            let mut part = answer.clone();
            "The part that was asked for.".clone_into(&mut part.description);
            let range = RefOr::Ref(headers::answer_reference(headers::CONTENT_RANGE));
            part.headers.insert(headers::CONTENT_RANGE.to_owned(), range);
            operation = operation.response(StatusCode::PARTIAL_CONTENT.as_str(), part);
        }
        operation = operation.response(self.status.as_str(), answer);
        let refusals = Refusals::of(endpoint, reads_body, self.refusals);
        for (status, response) in refusals.responses() {
            operation = operation.response(status.as_str(), response);
        }
        if let Some((name, callback)) = self.callback {
            operation = operation.callback(name, RefOr::T(callback));
        }
        operation.build()
    }
}

/// JSON of a part, with examples by name.
fn content(part: &Part, examples: &[(&str, Value)]) -> Content {
    let named =
        examples.iter().map(|(name, value)| (*name, ExampleBuilder::new().value(Some(value.clone()))));
    ContentBuilder::new().schema(Some(part.reference())).examples_from_iter(named).build()
}

/// Adds the headers that every answer carries.
pub(super) fn with_common_headers(mut answer: ResponseBuilder, counted: bool) -> ResponseBuilder {
    let limits = headers::RATE_LIMIT.into_iter().filter(|_| counted);
    for name in [headers::REQUEST_ID].into_iter().chain(limits) {
        answer = answer.header_ref(name, headers::answer_reference(name));
    }
    answer
}

fn needs_in_words(needs: Needs) -> Option<String> {
    match needs {
        Needs::NoKey => None,
        Needs::SignedAddress => {
            Some("Takes no key: the address itself is signed, and works for an hour.".to_owned())
        }
        Needs::TenantKey => Some("Takes a tenant-level key.".to_owned()),
        Needs::Permission(permission) => Some(format!(
            "Takes a key of either level with the permission `{}`; an organization-level key reaches its own \
             organization only.",
            permission.as_str()
        )),
    }
}

fn limit_in_words(limit: Option<u32>) -> String {
    match limit {
        Some(limit) => format!("Rate limit: {limit} requests in a one-minute window."),
        None => "Requests are not counted by rate limits.".to_owned(),
    }
}

fn rate_limit(limit: u32) -> Value {
    json!({ "requests": limit, "windowSeconds": domain::rate_limit::WINDOW.as_secs() })
}

fn security(needs: Needs) -> Vec<SecurityRequirement> {
    let key = |roles: &[&str]| SecurityRequirement::new(super::SECURITY_SCHEME, roles.iter().copied());
    match needs {
        Needs::NoKey | Needs::SignedAddress => Vec::new(),
        Needs::TenantKey => vec![key(&["tenant"])],
        Needs::Permission(permission) => vec![key(&[permission.as_str()])],
    }
}
