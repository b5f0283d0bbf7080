//! What the document says of organizations.

use actix_web::http::StatusCode;
use domain::organization::{EMAIL_MAX, OrganizationField, TIMEZONES};
use serde_json::{Value, json};
use utoipa::openapi::schema::ObjectBuilder;

use super::{NOT_FOUND, delete, list, metadata, update};
use crate::error::ApiError;
use crate::openapi::schema::{
    Members, Part, SOME_MOMENT, SOME_UUID, choice, flag, formatted, list as list_of, moment, nullable,
    object, text, uuid, whole,
};
use crate::openapi::{Description, Tag};
use crate::pagination::{PAGE_MAX, PAGINATION};
use application::requests::{Code, Fault, TEXT_MAX};

/// `POST /api/organization`.
pub(super) fn describe_create() -> Description {
    let words = "Creates an organization in the key's tenant, with the first version of its metadata, `{}`.";
    let problems = vec![Fault::TooShort(1).at("city"), Fault::NotAnEmail.at("email")];
    Description::new("createOrganization", Tag::Organizations, "Create Organization", words)
        .body(&REQUEST, &[("an organization", profile())])
        .once()
        .answers(StatusCode::CREATED, "The organization.", &SHORT, &[("created", short())])
        .leads_to("getOrganization", "Its full record.", "$response.body#/id")
        .leads_to("updateOrganization", "Changes it.", "$response.body#/id")
        .leads_to("updateMetadata", "Replaces its metadata.", "$response.body#/id")
        .leads_to("deleteOrganization", "Marks it inactive.", "$response.body#/id")
        .refuses([ApiError::Invalid(problems)])
}

/// `GET /api/organization`.
pub(super) fn describe_list() -> Description {
    let fields = OrganizationField::ALL.map(OrganizationField::as_str);
    let descending = fields.map(|field| format!("-{field}"));
    let sorts = fields.into_iter().map(str::to_owned).chain(descending);
    let page = json!({
        "organizations": [short()],
        "pagination": {
            "page": 1, "limit": list::LIMIT_DEFAULT, "total": 1, "totalPages": 1, "hasNextPage": false,
            "hasPreviousPage": false,
        },
    });
    let words = "The organizations of the key's tenant, without deleted ones.";
    Description::new("listOrganizations", Tag::Organizations, "List Organizations", words)
        .takes("page", whole("Which page, from 1.", 1, 1).maximum(Some(PAGE_MAX)).default(Some(json!(1))))
        .takes(
            "limit",
            whole("Organizations on a page.", 1, 10)
                .maximum(Some(list::LIMIT_MAX))
                .default(Some(json!(list::LIMIT_DEFAULT))),
        )
        .takes(
            "sort",
            choice("By this field; a leading `-` means descending.", sorts)
                .default(Some(json!(OrganizationField::CreatedAt.as_str()))),
        )
        .takes("search", text("Whose name contains this, in any case.", "clinic").max_length(Some(TEXT_MAX)))
        .answers(StatusCode::OK, "A page; empty beyond the end.", &PAGE, &[("one organization", page)])
        .refuses([ApiError::Invalid(vec![
            Fault::of_request(Code::TooSmall, "Number must be greater than or equal to 1").at("page"),
        ])])
}

/// `GET /api/organization/{id}`.
pub(super) fn describe_read() -> Description {
    let words = "One organization, deleted or not, beside all live ones that the key reaches.";
    let both = json!({ "currentOrg": full(), "userOrgs": [full()] });
    Description::new("getOrganization", Tag::Organizations, "Get Organization", words)
        .path("id", id())
        .answers(StatusCode::OK, "The organizations.", &BOTH, &[("one organization", both)])
        .refuses([NOT_FOUND])
}

/// `PUT /api/organization/{id}`.
pub(super) fn describe_update() -> Description {
    let words = "Writes the fields that are there; the others stay as they are.";
    let smallest = json!({ "name": "North Clinic", "email": "desk@clinic.example" });
    let problems = vec![Fault::NotAnEmail.at("email")];
    Description::new("updateOrganization", Tag::Organizations, "Update Organization", words)
        .path("id", id())
        .body(&UPDATE, &[("name and email", smallest), ("everything", profile())])
        .answers(StatusCode::OK, "The updated organization.", &SHORT, &[("updated", short())])
        .refuses([update::MISSING, ApiError::Invalid(problems), NOT_FOUND])
}

/// `DELETE /api/organization/{id}`.
pub(super) fn describe_delete() -> Description {
    let words = "Marks an organization inactive; its record and its calls stay readable.";
    let done = json!({ "message": delete::MESSAGE, "organizationId": SOME_UUID });
    Description::new("deleteOrganization", Tag::Organizations, "Delete Organization", words)
        .path("id", id())
        .answers(StatusCode::OK, "It is inactive.", &DELETED, &[("deleted", done)])
        .refuses([NOT_FOUND])
}

/// `PUT /api/organization/{id}/metadata`.
pub(super) fn describe_metadata() -> Description {
    let words = "Replaces the organization's metadata as a whole by a new version, which must match the schema that \
                 is stored for the organization.";
    let record = json!({
        "id": SOME_UUID, "organizationId": SOME_UUID, "version": 2, "metadata": { "plan": "gold" },
        "createdAt": SOME_MOMENT, "createdBy": SOME_UUID,
    });
    let breaks = ApiError::Refused("Schema validation failed: \"plan\" is a required property".into());
    let missing = Fault::Missing.at("metadata");
    Description::new("updateMetadata", Tag::Organizations, "Update Metadata", words)
        .path("id", id())
        .body(&METADATA_REQUEST, &[("metadata", json!({ "metadata": { "plan": "gold" } }))])
        .answers(StatusCode::OK, "The new version.", &METADATA, &[("replaced", record)])
        .refuses([breaks, ApiError::Invalid(vec![missing]), metadata::NOT_FOUND])
}

fn id() -> ObjectBuilder {
    text("The organization's id.", SOME_UUID)
}

/// A string that is not empty.
fn some(words: &str, example: &str) -> ObjectBuilder {
    text(words, example).min_length(Some(1)).max_length(Some(TEXT_MAX))
}

fn email() -> ObjectBuilder {
    formatted("email", "Contact address.", "desk@clinic.example")
        .min_length(Some(1))
        .max_length(Some(EMAIL_MAX))
}

fn timezone() -> ObjectBuilder {
    choice("Time zone.", TIMEZONES)
}

/// The contact fields, in the interface's order.
fn contact() -> [(&'static str, ObjectBuilder); 6] {
    [
        ("address", some("Street address.", "1 Main St")),
        ("city", some("City.", "Halifax")),
        ("stateProvince", some("State or province.", "NS")),
        ("postalCode", some("Postal or ZIP code.", "B3H 1A1")),
        ("country", some("Country.", "CA")),
        ("phoneNumber", some("Contact phone number.", "902-555-0100")),
    ]
}

fn profile() -> Value {
    json!({
        "name": "North Clinic", "email": "desk@clinic.example", "address": "1 Main St", "city": "Halifax",
        "stateProvince": "NS", "postalCode": "B3H 1A1", "country": "CA", "phoneNumber": "902-555-0100",
        "timezone": "America/Halifax",
    })
}

fn with(mut value: Value, members: Value) -> Value {
    if let (Some(value), Value::Object(members)) = (value.as_object_mut(), members) {
        value.extend(members);
    }
    value
}

fn short() -> Value {
    let own = json!({
        "id": SOME_UUID, "tenantId": SOME_UUID, "createdAt": SOME_MOMENT, "createdBy": SOME_UUID,
    });
    with(profile(), own)
}

fn full() -> Value {
    let own = json!({
        "image": null, "ownerId": SOME_UUID, "isActive": true, "lastModifiedBy": null,
        "updatedAt": SOME_MOMENT, "deletedAt": null,
    });
    with(short(), own)
}

static REQUEST: Part = Part {
    name: "OrganizationRequest",
    shape: || {
        let mut whole = object("An organization to be created.")
            .always("name", some("Its name.", "North Clinic"))
            .always("email", email());
        for (name, shape) in contact() {
            whole = whole.always(name, shape);
        }
        whole
            .always("timezone", timezone())
            .property("externalId", some("The caller's own reference; stored, never shown.", "clinic-7"))
    },
    uses: &[],
};

static UPDATE: Part = Part {
    name: "OrganizationUpdate",
    shape: || {
        let mut whole = object("New values for an organization.")
            .always("name", some("Its name.", "North Clinic"))
            .always("email", email());
        for (name, shape) in contact() {
            whole = whole.property(name, shape.min_length(None));
        }
        whole.property("timezone", timezone())
    },
    uses: &[],
};

static SHORT: Part =
    Part { name: "OrganizationShort", shape: || record("An organization's short record."), uses: &[] };

/// What both records show. Those that the operator made may have empty texts.
fn record(words: &str) -> ObjectBuilder {
    let mut whole = object(words)
        .always("id", uuid("Its identity."))
        .always("name", text("Its name.", "North Clinic"))
        .always("email", formatted("email", "Contact address.", "desk@clinic.example"));
    for (name, shape) in contact() {
        whole = whole.always(name, shape.min_length(None));
    }
    whole
        .always("tenantId", uuid("Tenant that it belongs to."))
        .always("timezone", timezone())
        .always("createdAt", moment("When it was made."))
        .always("createdBy", text("Id of the key or user that made it, or `operator`.", SOME_UUID))
}

static FULL: Part = Part {
    name: "Organization",
    shape: || {
        record("An organization's full record.")
            .always(
                "image",
                nullable(formatted("uri", "Logo URL, if set.", "https://clinic.example/logo.png")),
            )
            .always("ownerId", text("Id of the key or user that owns it, or `operator`.", SOME_UUID))
            .always("isActive", flag("Whether it can place calls."))
            .always(
                "lastModifiedBy",
                nullable(text("Id of the key or user that last changed it.", SOME_UUID)),
            )
            .always("updatedAt", moment("When it was last changed."))
            .always("deletedAt", nullable(moment("When it was soft-deleted.")))
    },
    uses: &[],
};

static PAGE: Part = Part {
    name: "OrganizationPage",
    shape: || {
        object("A page of organizations.")
            .always("organizations", list_of("The organizations, in order.", SHORT.reference()))
            .always("pagination", PAGINATION.reference())
    },
    uses: &[&SHORT, &PAGINATION],
};

static BOTH: Part = Part {
    name: "OrganizationAccess",
    shape: || {
        object("One organization beside all that the key reaches.")
            .always("currentOrg", FULL.reference())
            .always("userOrgs", list_of("Every live organization of the tenant.", FULL.reference()))
    },
    uses: &[&FULL],
};

static DELETED: Part = Part {
    name: "OrganizationDeleted",
    shape: || {
        object("An organization that is inactive now.")
            .always("message", text("What happened, for people.", delete::MESSAGE))
            .always("organizationId", uuid("The organization."))
    },
    uses: &[],
};

static METADATA_REQUEST: Part = Part {
    name: "MetadataRequest",
    shape: || {
        object("New metadata.").always(
            "metadata",
            object("Custom data; must match the stored schema.").examples([json!({ "plan": "gold" })]),
        )
    },
    uses: &[],
};

static METADATA: Part = Part {
    name: "MetadataRecord",
    shape: || {
        object("A version of an organization's metadata record.")
            .always("id", uuid("Identity of the record; the same for all its versions."))
            .always("organizationId", uuid("Owning organization."))
            .always("version", whole("From 1, and one more with each replace.", 1, 2))
            .always("metadata", object("The data itself.").examples([json!({ "plan": "gold" })]))
            .always("createdAt", moment("When this version was written."))
            .always("createdBy", text("Id of the key or user that wrote it, or `operator`.", SOME_UUID))
    },
    uses: &[],
};
