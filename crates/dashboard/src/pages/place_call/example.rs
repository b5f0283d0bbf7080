//! An assistant to begin with.

use actix_web::HttpResponse;
use application::set_up_test_line::example_assistant;
use domain::assistant::Language as Spoken;
use domain::ids::AssistantId;
use domain::scope::{Reach, Scope};

use crate::answer;
use crate::error::PageError;
use crate::language::Language;
use crate::request::Inside;

/// Makes the ready example in the reader's language.
pub(super) async fn make(inside: Inside) -> Result<HttpResponse, PageError> {
    let spoken = match inside.language {
        Language::English => Spoken::EnglishUnitedStates,
        Language::French => Spoken::FrenchCanada,
    };
    let (tenant, organization) = (inside.organization.tenant, inside.organization.id);
    let deed = inside.deed();
    // The form that is sent twice makes one.
    let id = inside.form.text("id").and_then(AssistantId::parse).ok_or(PageError::BadForm)?;
    let assistant = example_assistant(id, tenant, organization, spoken, &deed);
    let reach = Reach::Within(Scope::Organization(tenant, organization));
    inside
        .write(|service| async move { service.assistants.add_assistant(reach, assistant, deed).await })
        .await??;
    Ok(answer::see(&inside.href("/place-call")))
}
