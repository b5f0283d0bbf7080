//! `callwright user`.

use std::io::{IsTerminal, Read};
use std::sync::Arc;

use anyhow::{Context, bail};
use application::people::add_user::{AddUser, Newcomer};
use application::people::links::{INVITATION, MintedLink};
use clap::Subcommand;
use domain::ids::{OrganizationId, TenantId};
use domain::ports::UserChange;
use domain::scope::Scope;
use domain::secret::Secret;
use domain::timestamp::rfc3339;
use domain::user::{Role, User};
use passwords::Argon2Passwords;
use serde_json::json;
use url::Url;

use super::office::{Desk, every};
use super::output::{Fields, Output};
use super::parse;

/// Bytes of standard input that may be a password: 128 characters of four, and the line's end.
const PASSWORD_BYTES_MAX: u64 = 4 * 128 + 2;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Add somebody who signs in to the dashboard; without a password they get a link by which they set one.
    Create {
        /// The tenant that they belong to.
        #[arg(long, value_parser = parse::tenant)]
        tenant: TenantId,
        /// By which they sign in.
        #[arg(long, value_parser = parse::email)]
        email: String,
        /// The one organization that they are limited to; without it they see all of the tenant's.
        #[arg(long, value_parser = parse::organization)]
        organization: Option<OrganizationId>,
        /// What they may do: admin (everything), member (place calls, write assistants) or viewer (look).
        #[arg(long, default_value = "admin", value_parser = parse::role)]
        role: Role,
        /// Read their password from standard input, one line of 12 to 128 characters.
        #[arg(long)]
        password_stdin: bool,
    },
    /// List a tenant's users, oldest first.
    List {
        /// The tenant.
        #[arg(long, value_parser = parse::tenant)]
        tenant: TenantId,
        /// Only those who are limited to one organization.
        #[arg(long, value_parser = parse::organization)]
        organization: Option<OrganizationId>,
    },
    /// Make somebody a new link by which they set a password: the old link was lost, or the password.
    Invite {
        /// By which they sign in.
        #[arg(long, value_parser = parse::email)]
        email: String,
        /// The tenant that they belong to; needed when several have a user with this address.
        #[arg(long, value_parser = parse::tenant)]
        tenant: Option<TenantId>,
    },
    /// Give somebody another role.
    Role {
        /// By which they sign in.
        #[arg(long, value_parser = parse::email)]
        email: String,
        /// The tenant that they belong to; needed when several have a user with this address.
        #[arg(long, value_parser = parse::tenant)]
        tenant: Option<TenantId>,
        /// What they may do from now on.
        #[arg(long, value_parser = parse::role)]
        role: Role,
    },
    /// Remove somebody; they are signed out everywhere.
    Remove {
        /// By which they sign in.
        #[arg(long, value_parser = parse::email)]
        email: String,
        /// The tenant that they belong to; needed when several have a user with this address.
        #[arg(long, value_parser = parse::tenant)]
        tenant: Option<TenantId>,
    },
}

/// What is to be done, with what was read for it.
pub(super) struct Order {
    command: Command,
    password: Option<Secret<String>>,
    public_url: Url,
}

impl Command {
    /// Reads the password, where one is announced.
    pub(super) fn with_password(self, public_url: Url) -> anyhow::Result<Order> {
        let announced = matches!(self, Self::Create { password_stdin: true, .. });
        let password = announced.then(read_password).transpose()?;
        Ok(Order { command: self, password, public_url })
    }
}

fn read_password() -> anyhow::Result<Secret<String>> {
    let input = std::io::stdin();
    if input.is_terminal() {
        bail!("--password-stdin: pipe the password in, for a terminal would show it");
    }
    let mut text = String::new();
    input
        .lock()
        .take(PASSWORD_BYTES_MAX + 1)
        .read_to_string(&mut text)
        .context("the password is not UTF-8")?;
    let password =
        text.strip_suffix('\n').map_or(text.as_str(), |line| line.strip_suffix('\r').unwrap_or(line));
    if password.contains('\n') {
        bail!("the password has more than one line");
    }
    Ok(Secret::new(password.to_owned()))
}

pub(super) async fn run(order: Order, desk: &Desk, output: Output) -> anyhow::Result<()> {
    let Order { command, password, public_url } = order;
    let adding = AddUser { accounts: Arc::clone(&desk.accounts), entropy: Arc::clone(&desk.entropy) };
    let fields = match command {
        Command::Create { tenant, email, organization, role, .. } => {
            let new = Newcomer { tenant, organization, email, role };
            if let Some(password) = password {
                let passwords = Argon2Passwords::start(Arc::clone(&desk.entropy))?;
                fields(&adding.with_password(new, password, &passwords, desk.deed()).await?)
            } else {
                let (user, minted) = adding.invite(new, desk.deed()).await?;
                invited(&user, &minted, &public_url)?
            }
        }
        Command::List { tenant, organization } => {
            let scope = organization.map_or(Scope::Tenant(tenant), |own| Scope::Organization(tenant, own));
            let users = every(async |page| desk.accounts.users(scope, page).await).await?;
            let rows: Vec<_> = users.iter().map(|own| fields(&own.user)).collect();
            output.list(vec![("id", json!(tenant.to_string()))], "users", &rows)?;
            return Ok(());
        }
        Command::Invite { email, tenant } => {
            let user = known(desk, &email, tenant).await?;
            let again = adding.invite_again(user.scope(), user.id, desk.deed()).await?;
            let (user, minted) = again.with_context(|| nobody(&email))?;
            invited(&user, &minted, &public_url)?
        }
        Command::Role { email, tenant, role } => {
            let user = known(desk, &email, tenant).await?;
            let changed = desk.accounts.change_role(user.scope(), user.id, role, desk.deed()).await?;
            fields(&done(changed, &email)?)
        }
        Command::Remove { email, tenant } => {
            let user = known(desk, &email, tenant).await?;
            let removed = desk.accounts.remove(user.scope(), user.id, desk.deed()).await?;
            let user = done(removed, &email)?;
            vec![("id", json!(user.id.to_string())), ("email", json!(user.email)), ("removed", json!(true))]
        }
    };
    output.object(&fields)?;
    Ok(())
}

/// The user with the address, of the tenant where one is named.
async fn known(desk: &Desk, email: &str, tenant: Option<TenantId>) -> anyhow::Result<User> {
    let mut found = desk.accounts.users_by_email(email).await?;
    found.retain(|user| tenant.is_none_or(|tenant| user.tenant == tenant));
    if found.len() > 1 {
        let tenants: Vec<_> = found.iter().map(|user| user.tenant.to_string()).collect();
        bail!("users of several tenants sign in as {email}; name one by --tenant: {}", tenants.join(", "));
    }
    found.pop().with_context(|| nobody(email))
}

fn nobody(email: &str) -> String {
    format!("nobody signs in as {email}")
}

fn done(change: UserChange, email: &str) -> anyhow::Result<User> {
    match change {
        UserChange::Done(user) => Ok(user),
        UserChange::Unknown => bail!(nobody(email)),
        UserChange::LastAdmin => bail!("{email} is the tenant's last admin; make another one first"),
    }
}

fn invited(user: &User, minted: &MintedLink, public_url: &Url) -> anyhow::Result<Fields> {
    let link = public_url.join(&format!("{INVITATION}{}", minted.secret.reveal()))?;
    let mut fields = fields(user);
    fields.insert(1, ("invitation", json!(link.as_str())));
    fields.insert(2, ("invitationExpiresAt", json!(rfc3339(minted.link.expires_at))));
    Ok(fields)
}

fn fields(user: &User) -> Fields {
    vec![
        ("id", json!(user.id.to_string())),
        ("email", json!(user.email)),
        ("role", json!(user.role.as_str())),
        ("tenantId", json!(user.tenant.to_string())),
        ("organizationId", json!(user.organization.map(|id| id.to_string()))),
        ("active", json!(user.active)),
        ("createdAt", json!(rfc3339(user.created_at))),
        ("signedInAt", json!(user.signed_in_at.map(rfc3339))),
    ]
}
