//! The first set-up: a tenant, who runs it, and its first organization.

use std::sync::Arc;

use domain::audit::{Actor, Deed};
use domain::ids::{NewId, TenantId, UserId};
use domain::organization::{Organization, Profile, Tenant, Timezone};
use domain::password::{self, WeakPassword};
use domain::ports::{Entropy, FirstSetUp, NewOrganization, Passwords, Requester, SetUp, StoreUnavailable};
use domain::secret::Secret;
use domain::session::{LinkDigest, NewSession, SignedIn};
use domain::user::{Role, User};

use crate::create_organization::signing_secret;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Beginning {
    /// What the tenant is called.
    pub company: String,
    /// By which the first user signs in.
    pub email: String,
    /// Their password.
    pub password: Secret<String>,
    /// What the first organization is called.
    pub organization: String,
    /// Where it is.
    pub timezone: Timezone,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingUp {
    /// Everything is there, and the session has begun.
    Done(SignedIn, Box<Organization>),
    /// The link works no more.
    Gone,
    /// The password is not taken.
    Weak(WeakPassword),
    /// Too many passwords are being hashed at once.
    Busy,
}

/// Sets up an empty installation.
pub struct SetUpFirst {
    /// Keeps link and all that is made.
    pub set_up: Arc<dyn SetUp>,
    /// Hashes the password.
    pub passwords: Arc<dyn Passwords>,
    /// Makes ids and secrets unpredictable.
    pub entropy: Arc<dyn Entropy>,
}

impl SetUpFirst {
    /// Makes everything together, once.
    pub async fn set_up(
        &self,
        link: LinkDigest,
        beginning: Beginning,
        session: NewSession,
    ) -> Result<SettingUp, StoreUnavailable> {
        if !self.set_up.is_open(link, session.at).await? {
            return Ok(SettingUp::Gone);
        }
        if let Err(why) = password::judge(beginning.password.reveal(), &beginning.email) {
            return Ok(SettingUp::Weak(why));
        }
        let requester = Requester::known(session.from);
        let Ok(hash) = self.passwords.hash(beginning.password.clone(), None, requester).await else {
            return Ok(SettingUp::Busy);
        };
        let at = session.at;
        let tenant = Tenant { id: self.id(at), name: beginning.company.clone(), created_at: at };
        let user = User {
            id: self.id(at),
            tenant: tenant.id,
            organization: None,
            email: beginning.email.clone(),
            role: Role::Admin,
            active: true,
            created_at: at,
            signed_in_at: None,
        };
        let organization = self.organization(tenant.id, user.id, beginning, at);
        let signing_secret = signing_secret(self.entropy.as_ref());
        let deed = Deed { actor: Actor::User(user.id, user.email.clone()), from: session.from, at };
        let new = NewOrganization { organization: organization.clone(), signing_secret, once: None, deed };
        let first = FirstSetUp { tenant, user, hash, organization: new, session };
        let done = self.set_up.set_up(link, first).await?;
        Ok(match done {
            Some(signed_in) => SettingUp::Done(signed_in, Box::new(organization)),
            None => SettingUp::Gone,
        })
    }

    /// Its address can be filled in later: no call needs it.
    fn organization(
        &self,
        tenant: TenantId,
        by: UserId,
        beginning: Beginning,
        at: time::OffsetDateTime,
    ) -> Organization {
        Organization {
            id: self.id(at),
            tenant,
            profile: Profile {
                name: beginning.organization,
                email: beginning.email,
                image: None,
                address: String::new(),
                city: String::new(),
                state_province: String::new(),
                postal_code: String::new(),
                country: String::new(),
                phone_number: String::new(),
                timezone: beginning.timezone,
                external_id: None,
            },
            owner_id: by.to_string(),
            created_by: by.to_string(),
            last_modified_by: None,
            created_at: at,
            updated_at: at,
            deleted_at: None,
        }
    }

    fn id<Id: From<NewId>>(&self, at: time::OffsetDateTime) -> Id {
        let mut random = [0; 10];
        self.entropy.fill(&mut random);
        NewId::at(at, random).into()
    }
}
