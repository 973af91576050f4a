/** A webhook on this machine whose path says how it answers, reached by both servers. */
import { encodeBase64 } from "@std/encoding/base64";
import { Authority } from "../../controlplane/pki.ts";

// deno-lint-ignore no-explicit-any -- requests of any kind
type Loose = any;
type Answer = (request: Loose) => Loose;

const authority = await Authority.create("webhook-ca");
const { cert, key } = await authority.serving(["localhost"], ["127.0.0.1"]);

/** By which both servers know it. */
export const CA_BUNDLE = encodeBase64(new TextEncoder().encode(authority.cert));

const patch = (...operations: Loose[]) => ({
  allowed: true,
  patchType: "JSONPatch",
  patch: encodeBase64(new TextEncoder().encode(JSON.stringify(operations))),
});

/** What a request says, whatever the order of its fields, and without what only tells one request from another. */
function told({ uid: _uid, userInfo: _userInfo, ...request }: Loose): string {
  return JSON.stringify(sorted(request));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1);
  return Object.fromEntries(entries.map(([name, member]) => [name, sorted(member)]));
}

const RESPONSES: Readonly<Record<string, Answer>> = {
  "/allow": () => ({ allowed: true }),
  "/deny": () => ({ allowed: false }),
  "/deny-with-message": () => ({ allowed: false, status: { message: "not here", code: 403, reason: "Forbidden" } }),
  "/deny-with-reason": () => ({ allowed: false, status: { reason: "Conflict", code: 200, status: "Success" } }),
  "/tell": (request) => ({ allowed: false, status: { message: told(request) } }),
  "/warn": () => ({ allowed: true, warnings: ["take care", "of it"] }),
  "/label": () => patch({ op: "add", path: "/metadata/labels", value: { by: "webhook" } }),
  "/tell-in-label": ({ object: { metadata } }) =>
    patch({ op: "add", path: "/metadata/labels", value: { saw: `${metadata.labels?.by}` } }),
  "/container": () => patch({ op: "add", path: "/spec/containers/-", value: { name: "side", image: "side:1" } }),
  "/rename": () => patch({ op: "replace", path: "/metadata/name", value: "other" }),
  "/move": () => patch({ op: "replace", path: "/metadata/namespace", value: "kube-system" }),
  "/bad-label": () => patch({ op: "add", path: "/metadata/labels", value: { "a b": "c" } }),
  "/unknown-field": () => patch({ op: "add", path: "/odd", value: 1 }),
  "/misfit": () => patch({ op: "add", path: "/data", value: 1 }),
  "/missing-path": () => patch({ op: "remove", path: "/data/none" }),
  "/patch-without-type": () => ({ ...patch(), patch: "W10=", patchType: undefined }),
  "/type-without-patch": () => ({ allowed: true, patchType: "JSONPatch" }),
  "/odd-type": () => ({ ...RESPONSES["/label"]({}), patchType: "Odd" }),
  "/odd-patch": () => ({ allowed: true, patchType: "JSONPatch", patch: "e30=" }),
  "/empty-patch": () => patch(),
  "/wrong-uid": () => ({ uid: "other", allowed: true }),
  "/absent": () => undefined,
};

const PLAIN: Readonly<Record<string, () => Response | Promise<Response>>> = {
  "/500": () => new Response("it broke", { status: 500 }),
  "/503": () => new Response("busy", { status: 503 }),
  "/403": () => new Response("not you", { status: 403 }),
  "/400": () => new Response("what?", { status: 400 }),
  "/hang": () => new Promise(() => {}),
};

const server = Deno.serve({ hostname: "127.0.0.1", port: 0, cert, key, onListen: () => {} }, async (request) => {
  const { pathname } = new URL(request.url);
  if (PLAIN[pathname]) return await PLAIN[pathname]();
  const answer = RESPONSES[pathname];
  if (!answer) return new Response("no such webhook", { status: 404 });
  const { request: asked, kind, apiVersion } = await request.json();
  const response = answer(asked);
  return Response.json({ kind, apiVersion, ...response ? { response: { uid: asked.uid, ...response } } : {} });
});
server.unref();

/** `https://127.0.0.1:8443` */
export const WEBHOOK_ORIGIN = `https://127.0.0.1:${server.addr.port}`;
