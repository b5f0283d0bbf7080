//! Lists that people load keep no program waiting for its own.

use std::time::Duration;

use tokio::time::timeout;

use super::people::{Standing, enter, session_of};
use super::person::Person;
use crate::support::Installation;
use crate::support::installation::client;

#[tokio::test(flavor = "multi_thread")]
async fn programs_have_their_lists_at_once_while_those_of_people_take_their_time() {
    let installation = Installation::serving(&[]).await;
    let tenant = installation.operator(&["tenant", "create", "--name", "Clinic"])["id"].clone();
    let tenant = tenant.as_str().unwrap();
    let key = installation.operator(&["key", "create", "--tenant", tenant, "--name", "Desk"])["key"].clone();
    let organization =
        ["organization", "create", "--tenant", tenant, "--name", "North", "--email", "n@example.com"];
    let organization = installation.operator(&organization)["id"].clone();
    let mut people = Vec::new();
    for number in 0..12 {
        let standing = Standing { role: "admin", tenant, organization: None };
        let user = enter(&installation, standing, &format!("p{number}@example.com")).await;
        people.push(Person::with_session(installation.base(), &session_of(&installation, &user).await));
    }
    let locks = "SELECT 1 FROM pg_locks WHERE relation = 'audit_entries'::regclass";
    let lock = "LOCK TABLE audit_entries IN ACCESS EXCLUSIVE MODE; PERFORM pg_sleep(6);";
    let lock = format!("DO $$ BEGIN {lock} END $$");
    let asking = async {
        installation.rows_until(&format!("{locks} AND granted AND mode = 'AccessExclusiveLock'")).await;
        let loads: Vec<_> = people
            .into_iter()
            .map(|person| tokio::spawn(async move { person.get("/audit-log").await.status }))
            .collect();
        installation.rows_until(&format!("{locks} AND NOT granted HAVING count(*) >= 4")).await;
        let organization = organization.as_str().unwrap();
        let list = format!("{}/api/calls?organizationId={organization}", installation.base());
        let list = client().get(list).bearer_auth(key.as_str().unwrap()).send();
        let list = timeout(Duration::from_secs(3), list).await.expect("the list waits").unwrap();
        assert_eq!(list.status().as_u16(), 200);
        assert!(!installation.rows(&format!("{locks} AND NOT granted")).await.is_empty());
        for load in loads {
            assert!([200, 503].contains(&load.await.unwrap()));
        }
    };
    tokio::join!(installation.sql(&lock), asking);
}
