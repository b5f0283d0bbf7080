"""What schemathesis cannot know: which values of a format this service is willing to take."""

import schemathesis
from hypothesis import strategies as st

# Callbacks go to public https addresses only; the document says so in words.
PATHS = st.lists(st.text("abcXYZ019-_~", max_size=12), max_size=4).map("/".join)
schemathesis.openapi.format(
    "uri",
    st.builds(
        "https://{}/{}".format,
        st.sampled_from(["example.com", "hooks.example.org:8443", "a.b-c.example.net"]),
        PATHS,
    ),
)
