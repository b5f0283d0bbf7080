//! `callwright number`.

use serde_json::json;

use crate::installation::{Installation, provision};

#[test]
fn a_number_is_found_and_moved_to_another_trunk() {
    let installation = Installation::new();
    let (tenant, organization) = provision(&installation);
    let list = format!("number list --organization {organization}");
    let listed = installation.object(&list);
    let own = &listed["numbers"][0];
    assert_eq!(
        (&own["number"], &own["trunk"], &own["trunkInUse"]),
        (&json!("+14155550100"), &json!("main"), &json!(true))
    );
    let second = installation
        .id(&format!("trunk create --tenant {tenant} --name second --address 127.0.0.1:9 --max-calls 5"));
    let id = own["id"].as_str().unwrap();
    let moved = installation.object(&format!("number move {id} --trunk {second}"));
    assert_eq!((&moved["trunkId"], &moved["trunk"]), (&json!(second), &json!("second")));
    assert_eq!(installation.object(&list)["numbers"], json!([moved]));
    for (number, trunk, why) in [(id, tenant.as_str(), "no such trunk"), (&second, &second, "no such number")]
    {
        let words = installation.failure(&format!("number move {number} --trunk {trunk}"), 1);
        assert!(words.contains(why) && words.contains(number), "{words}");
    }
    let words = installation.failure(&format!("number list --organization {tenant}"), 1);
    assert!(words.contains("no such organization"), "{words}");
}
