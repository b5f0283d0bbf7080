//! Assistants made in a form, by mouse and by keyboard, with and without JavaScript.

use test_browser::{Key, Look, button, css, field, link};

use super::sign_in::Office;

#[tokio::test(flavor = "multi_thread")]
async fn a_script_is_written_step_by_step_and_a_mistake_leads_to_its_field() {
    let office = Office::open().await;
    for look in [Look::default(), Look::phone().without_javascript()] {
        let page = office.signed_in(look).await;
        page.open(&office.within("/assistants/new")).await;
        page.fill(field("Name"), "Reminder").await;
        page.fill(field("When somebody answers, it says"), "Good morning.").await;
        page.follow(button("Add a step")).await;
        page.until("document.activeElement.name === 'steps[2].say'").await;
        page.type_text("See you then.").await;
        // What has no meaning for a choice is out of the way.
        page.choose(css("select[name='steps[2].wait_for']"), "keys").await;
        page.shows(css("input[name='steps[2].digits']")).await;
        page.choose(css("select[name='steps[2].wait_for']"), "speech").await;
        assert!(!page.has(css("input[name='steps[2].digits']")).await);
        assert!(!page.has(css("textarea[name='steps[2].replies']")).await);
        page.follow(button("Move up · Step 2")).await;
        page.is_clean().await;

        page.click(button("Limits")).await;
        page.fill(css("input[name='limits.silence_seconds']"), "soon").await;
        page.follow(button("Create assistant")).await;
        assert_eq!(page.document().status, 422);
        page.says("expected 1 to 3600 seconds").await;
        page.shows(css("input[name='limits.silence_seconds'][aria-invalid]")).await;
        page.click(link("Go to the field")).await;
        page.until("location.hash === '#limits.silence_seconds'").await;
        page.fill(css("input[name='limits.silence_seconds']"), "20").await;
        page.follow(button("Create assistant")).await;
        page.says("The assistant was created").await;
        let first = page.evaluate("document.querySelector(\"[name='steps[1].say']\").value").await;
        assert_eq!(first, "See you then.");
        page.follow(link("As a file")).await;
        page.until("document.getElementById('file').value.includes('silence_seconds = 20')").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn enter_in_a_field_saves_the_form() {
    let office = Office::open().await;
    let page = office.signed_in(Look::default()).await;
    page.open(&office.within("/assistants/new?engine=realtime")).await;
    page.tab_to(field("Name")).await;
    page.type_text("Receptionist").await;
    page.press_through(Key::Enter).await;
    page.says("The assistant was created").await;
    page.is_clean().await;
}
