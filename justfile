# Recipes of Callwright; run them by ./just, which brings what they need.

set shell := ["bash", "-euo", "pipefail", "-c"]

# Shows the recipes.
default:
    @just --justfile {{ justfile() }} --list

# Builds the program and shows three calls with it; --keep goes on serving.
demo *args:
    cargo build --package callwright
    python3 demo/demo.py --binary "${CARGO_TARGET_DIR:-target}/debug/callwright" {{ args }}

# Runs the service on its own database.
serve *args:
    cargo run --package callwright -- serve {{ args }}

# Runs all tests.
test *args:
    scripts/with-test-postgres cargo nextest run --workspace --all-features {{ args }}
    cargo test --workspace --all-features --doc --quiet

# Brings the speech recogniser that tests listen with; `test` and `ci` do so by themselves.
ears:
    @echo "tests hear with .tools/ears"

# Holds the running server against its own OpenAPI document; for longer: --examples 500 --seed 2.
test-fuzz-api *args:
    cargo build --package callwright
    python3 fuzz/api.py --binary "${CARGO_TARGET_DIR:-target}/debug/callwright" \
        --schemathesis .tools/schemathesis/bin/schemathesis {{ args }}

# 100,000 mutations of the messages of RFC 4475 against a SIP stack with a call up; `test` sends fewer. Another seed: CALLWRIGHT_TORTURE_SEED.
torture:
    CALLWRIGHT_TORTURE_MUTATIONS="${CALLWRIGHT_TORTURE_MUTATIONS:-100000}" cargo nextest run --package sip --test wire torture::

# Fuzzes each target for 10 s; `./just fuzz 60 sdp rtp` names the seconds and the targets.
fuzz *args:
    scripts/fuzz {{ args }}

# Fuzzes each target for so many minutes, and keeps what it finds in target/fuzz-corpus for the next time.
fuzz-long minutes *targets:
    scripts/fuzz $(( {{ minutes }} * 60 )) {{ targets }}

# How long calls take to leave and callbacks to come, at 50 calls a second.
bench-calls: (bench "calls")

# Calls, questions, organizations and lists a second against pgbench doing the same statements, and the rate-limit check.
bench-api: (bench "api-place" "api-status" "api-create" "api-calls" "rate-limit")

# 300 recorded calls that talk at a time, with a script and with a Realtime provider, the memory that 5,000 leave behind, and what a call allocates.
bench-media: (bench "media" "media-realtime" "memory")
    # Counts what a live call takes from the heap; fails when a beat takes anything.
    cargo test --package voice --test live_call -- --nocapture

# Our own share of the delay from the callee's voice to the provider's and back.
bench-voice: (bench "voice")

# The dashboard: the list of a million calls, two hundred open live pages, and how much each page loads.
bench-dashboard: (bench "dashboard")

# 20,000 INVITEs a second for half a minute while calls run and start: from strangers' addresses, and from the trunk's own.
bench-flood: (bench "flood" "flood-peer")

# Measurements of the release build, each on a durable database of its own; all are made even if one fails.
[private]
bench +what:
    cargo build --release --package callwright
    cargo build --release --package bench
    cd "${CARGO_TARGET_DIR:-target}/release" && failed=0 && for one in {{ what }}; do ./bench "$one" ./callwright || failed=1; done && exit $failed

# Takes the pictures of the dashboard in docs/screenshots anew, of a clinic with real calls.
screenshots:
    scripts/with-test-postgres cargo nextest run --package callwright --test e2e screenshots::
    mkdir -p docs/screenshots
    for picture in "${CARGO_TARGET_DIR:-target}"/tmp/screenshots/*.png; do \
        pngquant --force --speed 1 --strip --output "docs/screenshots/${picture##*/}" 128 -- "$picture"; \
    done

# Everything that a change must pass.
ci: test test-fuzz-api fuzz lint docs deny machete boundaries threat-model

# Checks format and lints.
lint:
    cargo fmt --all --check
    cargo fmt --manifest-path fuzz/Cargo.toml --check
    cargo clippy --workspace --all-targets --all-features -- --deny warnings

# Builds the documentation; broken links are errors.
docs:
    RUSTDOCFLAGS="--deny warnings" cargo doc --workspace --all-features --no-deps --quiet

# Licences, bans and sources of every dependency.
deny:
    cargo-deny --all-features check --hide-inclusion-graph bans licenses sources

# Known vulnerabilities of every dependency; fetches the database of advisories, and fails without it.
advisories:
    cargo-deny --all-features check --hide-inclusion-graph advisories

# Dependencies that nothing uses.
machete:
    cargo-machete --with-metadata

# Whether the arrows between the crates point inwards.
boundaries:
    scripts/check-boundaries

# Whether every test that docs/threat-model.md names exists.
threat-model:
    scripts/check-threat-model

# Takes the migrations up, down and up again.
migrations:
    scripts/with-test-postgres cargo test --package postgres --test migrations

# Writes docs/openapi.json anew from the code; a test compares the two.
openapi:
    cargo run --quiet --package http-api --example openapi > docs/openapi.json.new
    mv docs/openapi.json.new docs/openapi.json

# Formats everything.
format:
    cargo fmt --all
    cargo fmt --manifest-path fuzz/Cargo.toml
