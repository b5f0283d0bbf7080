//! axe-core, which judges a page's accessibility (its rules: dequeuniversity.com/rules/axe).

use std::fmt;
use std::path::Path;

use serde_json::Value;

use crate::page::Page;

/// The levels that the pages are held to (WCAG 2.2 AA), and axe's own advice.
const RULES: &str = "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']";

/// Something that makes a page hard to use.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule, e.g. `color-contrast`.
    pub rule: String,
    /// `minor`, `moderate`, `serious` or `critical`.
    pub impact: String,
    /// What the rule wants.
    pub help: String,
    /// The elements, each with what is wrong.
    pub elements: Vec<String>,
}

impl Finding {
    /// Whether somebody cannot use the page because of it.
    pub fn is_serious(&self) -> bool {
        self.impact == "serious" || self.impact == "critical"
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} ({}): {}", self.rule, self.impact, self.help)?;
        self.elements.iter().try_for_each(|element| write!(out, "\n    {element}"))
    }
}

impl Page {
    /// All that axe-core finds on the page, as it is shown now; the visitor has to allow scripts.
    pub async fn axe(&self) -> Vec<Finding> {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/axe/axe.min.js");
        let source = std::fs::read_to_string(&file).unwrap_or_else(|error| {
            panic!("{}: {error}; run the tests with `./just test`, which brings it", file.display())
        });
        // In our own world: the page's policy lets no foreign script in.
        self.evaluate(&format!("typeof axe === 'object' || (() => {{ {source}; return true; }})()")).await;
        let run = format!(
            "axe.run(document, {{ resultTypes: ['violations'], runOnly: {RULES} }}).then(result => ({{
                passes: result.passes.length,
                findings: result.violations.map(one => ({{
                    rule: one.id, impact: one.impact, help: one.help,
                    elements: one.nodes.map(node => node.html.slice(0, 200) + ' ' + node.failureSummary),
                }})),
            }}))"
        );
        let judged = self.evaluate(&run).await;
        assert!(judged["passes"].as_u64() > Some(0), "axe-core judged nothing: {judged}");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let findings = judged["findings"].as_array().into_iter().flatten();
        findings
            .map(|finding| Finding {
                rule: text(&finding["rule"]),
                impact: text(&finding["impact"]),
                help: text(&finding["help"]),
                elements: finding["elements"].as_array().into_iter().flatten().map(text).collect(),
            })
            .collect()
    }

    /// Fails when axe-core finds something serious or critical.
    pub async fn is_accessible(&self) {
        let findings = self.axe().await;
        let serious: Vec<String> =
            findings.iter().filter(|finding| finding.is_serious()).map(ToString::to_string).collect();
        assert!(serious.is_empty(), "on {}:\n{}", self.address().await, serious.join("\n"));
    }
}
