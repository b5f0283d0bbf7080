//! The files that are shown to people.

use std::path::Path;

use super::*;

/// Each example is an assistant, and the guide shows it as it is.
#[test]
fn the_examples_are_assistants_and_the_guide_shows_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let guide = text("docs/assistants.md");
    for (name, engine) in [("script", "builtin"), ("realtime", "realtime"), ("cascade", "cascade")] {
        let example = text(&format!("examples/assistants/{name}.toml"));
        read(&example);
        assert!(example.contains(&format!("engine = \"{engine}\"")), "{name}");
        assert!(guide.contains(&format!("```toml\n{example}```\n")), "the guide shows another {name}.toml");
    }
    read(&text("demo/assistant.toml"));
}
