#!/usr/bin/env node
// Receives Callwright's call-completed callbacks. Needs Node 18 or later and no package.
//
//   WEBHOOK_SECRET=whsec_… node receiver.mjs
//
// WEBHOOK_SECRET       the organization's secret: callwright webhook-secret show --organization ID
// HOST, PORT           where it listens; 127.0.0.1 and 8000 (0 takes any free port) unless set
// CALLWRIGHT_URL,      when both are set, each result is confirmed with Get Outbound Call Status before it is
// CALLWRIGHT_API_KEY   acted upon; the key is an organization key of the call's organization

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const TOLERANCE = 5 * 60; // seconds between their clock and ours; older requests may be replayed ones
const BODY_MAX = 1024 * 1024; // bytes
const REMEMBERED = 100_000; // calls

const { WEBHOOK_SECRET, CALLWRIGHT_URL, CALLWRIGHT_API_KEY, HOST = "127.0.0.1", PORT = "8000" } = process.env;
if (!/^whsec_[A-Za-z0-9+/]+=*$/.test(WEBHOOK_SECRET ?? "")) {
  console.error("WEBHOOK_SECRET is missing or malformed");
  process.exit(1);
}
const secret = Buffer.from(WEBHOOK_SECRET.slice("whsec_".length), "base64");

/** An answer other than 2xx. */
class Refused extends Error {
  constructor(status, reason) {
    super(reason);
    this.status = status;
  }
}

/** Checks the signature (Standard Webhooks) over the raw body, before anything reads it. */
function verify(headers, body) {
  const id = headers["webhook-id"] ?? "";
  const timestamp = headers["webhook-timestamp"] ?? "";
  if (id === "" || !/^\d{1,12}$/.test(timestamp)) {
    throw new Refused(401, "webhook-id or webhook-timestamp is missing or malformed");
  }
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE) {
    throw new Refused(401, "webhook-timestamp is too far from now");
  }
  const mac = createHmac("sha256", secret).update(`${id}.${timestamp}.`).update(body).digest("base64");
  const expected = Buffer.from(`v1,${mac}`);
  // While a secret is being rotated there are two signatures; ours has to be among them.
  const given = (headers["webhook-signature"] ?? "").split(" ").map((one) => Buffer.from(one));
  if (!given.some((one) => one.length === expected.length && timingSafeEqual(one, expected))) {
    throw new Refused(401, "webhook-signature does not match");
  }
}

/** The raw body, bounded. */
async function read(request) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > BODY_MAX) throw new Refused(413, "the body is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The body as an event. */
function parse(body) {
  try {
    const event = JSON.parse(body.toString("utf8"));
    if (typeof event.event === "string" && typeof event.outboundCallId === "string") return event;
  } catch {
    // Told below.
  }
  throw new Refused(400, "the body is no event");
}

// The calls that were taken. Keep this in your database: there it outlives a restart.
const seen = new Set();

/** Takes each call once: duplicates are normal. */
function take(event) {
  if (event.event !== "call.completed" || seen.has(event.outboundCallId)) return;
  seen.add(event.outboundCallId);
  if (seen.size > REMEMBERED) seen.delete(seen.values().next().value);
  work(event).catch((error) => console.error(`failed: ${error.message}`));
}

/** What the service itself says of the call: null when it does not know it. */
async function confirmed(event) {
  if (!CALLWRIGHT_URL || !CALLWRIGHT_API_KEY) return event;
  const path = `/api/outbound/${encodeURIComponent(event.outboundCallId)}/status`;
  for (;;) {
    let wait = 30;
    let problem;
    try {
      const answer = await fetch(CALLWRIGHT_URL.replace(/\/+$/, "") + path, {
        headers: { Authorization: `Bearer ${CALLWRIGHT_API_KEY}` },
        signal: AbortSignal.timeout(10_000),
      });
      if (answer.ok) return await answer.json();
      if (answer.status === 404) return null;
      // 429 and 503 say how long to wait; every request before that would prolong a 429.
      wait = Number.parseInt(answer.headers.get("retry-after"), 10) || wait;
      problem = `status ${answer.status}`;
    } catch (error) {
      problem = error.message;
    }
    console.error(`not confirmed yet, again in ${wait} s: ${problem}`);
    await sleep(wait * 1000);
  }
}

/** Acts on a call. */
async function work(event) {
  const call = await confirmed(event);
  if (call === null) return console.error(`ignored: unknown call ${event.outboundCallId}`);
  // Here your own work begins.
  const { outboundCallId, status, callDetails } = call;
  console.log(JSON.stringify({ outboundCallId, status, endedReason: callDetails?.endedReason ?? null }));
}

const server = createServer(async (request, response) => {
  let status = 204;
  try {
    if (request.method !== "POST") throw new Refused(405, "only POST is taken");
    const body = await read(request);
    verify(request.headers, body);
    take(parse(body));
  } catch (refused) {
    status = refused.status ?? 400;
    console.error(`refused: ${refused.message}`);
  }
  // Answered before any work is done: after 10 seconds the same callback would come again.
  response.writeHead(status, { "Content-Length": 0, ...(status === 204 ? {} : { Connection: "close" }) }).end();
});
server.requestTimeout = 10_000;
server.listen(Number(PORT), HOST, () => {
  const { address, port } = server.address();
  console.log(`listening on http://${address}:${port}/`);
});
