//! A form's fields as a browser would send them back.

/// The names and values of the first form of this class on a page; buttons are not pressed.
pub(crate) fn fields(page: &str, class: &str) -> Vec<(String, String)> {
    let (_, form) = page.split_once(&format!("<form class=\"{class}\"")).unwrap();
    let (form, _) = form.split_once("</form>").unwrap();
    let mut fields = Vec::new();
    let mut rest = form;
    while let Some((_, tag)) = rest.split_once('<') {
        rest = tag;
        let (tag, after) = tag.split_once('>').unwrap();
        let has = |word: &str| tag.split(' ').any(|own| own == word);
        let Some(name) = attribute(tag, "name") else { continue };
        if tag.starts_with("input") {
            let box_off = tag.contains("type=\"checkbox\"") && !has("checked");
            if !box_off && !has("disabled") {
                fields.push((name, attribute(tag, "value").unwrap_or_default()));
            }
        } else if tag.starts_with("textarea") {
            let (text, after) = after.split_once("</textarea>").unwrap();
            // The first line end belongs to the markup, and all are sent as CR LF.
            let text = plain(text.strip_prefix('\n').unwrap_or(text));
            let text = text.replace("\r\n", "\n").replace('\r', "\n").replace('\n', "\r\n");
            fields.push((name, text));
            rest = after;
        } else if tag.starts_with("select") {
            let (options, after) = after.split_once("</select>").unwrap();
            let chosen = options.split("<option ").skip(1).find(|option| option.contains("\" selected>"));
            let chosen = chosen.or_else(|| options.split("<option ").nth(1)).unwrap();
            fields.push((name, attribute(chosen, "value").unwrap()));
            rest = after;
        }
    }
    fields
}

/// As [`Browser::post`](super::Browser::post) takes them.
pub(crate) fn pairs(fields: &[(String, String)]) -> Vec<(&str, &str)> {
    fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, rest) =
        tag.split_once(&format!(" {name}=\"")).or_else(|| tag.split_once(&format!("{name}=\"")))?;
    rest.split('"').next().map(plain)
}

/// Without the escapes of markup.
fn plain(text: &str) -> String {
    let escapes = [("&#34;", "\""), ("&#39;", "'"), ("&#60;", "<"), ("&#62;", ">"), ("&#38;", "&")];
    escapes.iter().fold(text.to_owned(), |text, (escape, letter)| text.replace(escape, letter))
}
