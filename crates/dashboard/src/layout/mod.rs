//! What stands around every page: navigation, language, who is signed in.

pub(crate) mod words;

use domain::user::Right;

use crate::language::Language;
use crate::request::Visit;
use words::Words;

/// Where in the dashboard a page stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    /// Beside all others.
    None,
    FirstSteps,
    Calls,
    PlaceCall,
    Assistants,
    Numbers,
    Metadata,
    ApiKeys,
    CallbackSecret,
    Profile,
    Callbacks,
    Organizations,
    Trunks,
    TenantKeys,
    Schema,
    Users,
    AuditLog,
    Account,
}

/// A link of the navigation.
pub(crate) struct Item {
    pub(crate) href: String,
    pub(crate) label: &'static str,
    pub(crate) icon: &'static str,
    pub(crate) current: bool,
}

/// A group of links with a heading.
pub(crate) struct Group {
    pub(crate) heading: String,
    pub(crate) items: Vec<Item>,
}

/// Who is signed in, for the page's frame.
pub(crate) struct Viewer {
    pub(crate) email: String,
    /// The token of the forms in the frame, and of the page's own.
    pub(crate) token: String,
    pub(crate) groups: Vec<Group>,
}

/// What templates extend `layout.html` with.
pub(crate) struct Layout {
    pub(crate) title: String,
    pub(crate) language: Language,
    pub(crate) words: &'static Words,
    pub(crate) viewer: Option<Viewer>,
    /// The page's own address, to come back to after the language was changed.
    pub(crate) here: String,
    /// Something was done: told once above the page.
    pub(crate) notice: Option<String>,
    /// Scripts of the page beside `app.js`, by name.
    pub(crate) scripts: &'static [&'static str],
}

impl Layout {
    /// Of a page for whoever is signed in.
    pub(crate) fn of(visit: &Visit, section: Section, title: impl Into<String>) -> Self {
        let words = words::of(visit.language);
        let viewer = Viewer {
            email: visit.user.email.clone(),
            token: visit.session.form_token(),
            groups: groups(visit, section, words),
        };
        let here = visit.http.uri().path_and_query().map_or("/", |path| path.as_str());
        let here = if visit.http.method().is_safe() { here } else { "/" };
        Self { viewer: Some(viewer), here: here.to_owned(), ..Self::bare(visit.language, title) }
    }

    /// Of a page for everybody.
    pub(crate) fn bare(language: Language, title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            language,
            words: words::of(language),
            viewer: None,
            here: "/".to_owned(),
            notice: None,
            scripts: &[],
        }
    }

    /// With something to tell above the page.
    pub(crate) fn noting(mut self, notice: Option<impl Into<String>>) -> Self {
        self.notice = notice.map(Into::into);
        self
    }

    /// Of a page whose address is not that of the request, or that has no viewer.
    pub(crate) fn at(mut self, here: impl Into<String>) -> Self {
        self.here = here.into();
        self
    }

    /// With a script of the page's own.
    pub(crate) const fn with_scripts(mut self, scripts: &'static [&'static str]) -> Self {
        self.scripts = scripts;
        self
    }

    /// The token of the page's forms.
    pub(crate) fn token(&self) -> &str {
        self.viewer.as_ref().map_or("", |viewer| viewer.token.as_str())
    }

    pub(crate) fn languages(&self) -> impl Iterator<Item = Language> {
        let own = self.language;
        Language::ALL.into_iter().filter(move |language| *language != own)
    }
}

/// The links that the user's role has a use for.
fn groups(visit: &Visit, section: Section, words: &Words) -> Vec<Group> {
    let mut groups = Vec::new();
    if let Some(organization) = &visit.organization {
        let link = |(own, path, icon, right): (Section, &str, &'static str, Right)| {
            visit.may(right).then(|| Item {
                href: format!("/o/{}{path}", organization.id),
                label: words.section(own),
                icon,
                current: own == section,
            })
        };
        let items = [
            (Section::Calls, "/calls", "calls", Right::SeeCalls),
            (Section::PlaceCall, "/place-call", "dial", Right::PlaceCalls),
            (Section::Callbacks, "/callbacks", "callbacks", Right::Redeliver),
            (Section::Assistants, "/assistants", "assistants", Right::SeeSetup),
            (Section::Numbers, "/numbers", "numbers", Right::SeeSetup),
            (Section::Metadata, "/metadata", "metadata", Right::SeeSetup),
        ];
        groups.push(Group {
            heading: organization.profile.name.clone(),
            items: items.into_iter().filter_map(link).collect(),
        });
        let settings = [
            (Section::Profile, "/profile", "organizations", Right::SeeSetup),
            (Section::ApiKeys, "/settings/api-keys", "keys", Right::ManageAccess),
            (Section::CallbackSecret, "/settings/callback-secret", "secret", Right::ManageAccess),
        ];
        let items: Vec<_> = settings.into_iter().filter_map(link).collect();
        if !items.is_empty() {
            groups.push(Group { heading: words.settings.to_owned(), items });
        }
    }
    let whole_tenant = visit.user.organization.is_none();
    let items = [
        (Section::Organizations, "/organizations", "organizations", whole_tenant),
        (Section::Trunks, "/trunks", "trunks", whole_tenant),
        (Section::TenantKeys, "/settings/api-keys", "keys", visit.may(Right::ManageTenant)),
        (Section::Schema, "/schema", "metadata", visit.may(Right::ManageTenant)),
        (Section::Users, "/users", "users", visit.may(Right::ManageAccess)),
        (Section::AuditLog, "/audit-log", "audit", visit.may(Right::ManageAccess)),
    ];
    let items: Vec<_> = items
        .into_iter()
        .filter(|(.., shown)| *shown)
        .map(|(own, href, icon, _)| Item {
            href: href.to_owned(),
            label: words.section(own),
            icon,
            current: own == section,
        })
        .collect();
    if !items.is_empty() {
        groups.push(Group { heading: words.company.to_owned(), items });
    }
    groups
}
