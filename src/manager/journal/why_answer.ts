import { accepts } from "@std/http/negotiation";
import { joinKey, resourceCalled } from "../../api/mod.ts";
import { type Clock, sleep } from "../../base/mod.ts";
import { type AskJournals, type Chain, chainOf } from "./chain.ts";
import { chainText } from "./chain_text.ts";
import type { ObjectName } from "./sync.ts";

/** The sources of {@link whyAnswer}. */
export interface WhyOptions {
  readonly clock: Clock;
  readonly ask: AskJournals;
}

/** How long the journals may take in total. */
const ANSWER_MS = 5000;
const NO_CACHE = { "cache-control": "no-cache, private", "x-content-type-options": "nosniff" } as const;
const PARAMETERS: readonly string[] = ["resource", "namespace", "name", "pretty"];

/**
 * Answers `/debug/why?resource=pods&namespace=shop&name=web-0`: explains the object's state, as JSON, or as text if
 * that is accepted. Status 400 means a malformed query, 404 that nothing is known, 503 that the journals did not answer
 * in time.
 */
export async function whyAnswer(request: Request, { clock, ask }: WhyOptions): Promise<Response> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    return line(405, "405 method not allowed", { allow: "GET, HEAD" });
  }
  const question = questionOf(new URL(request.url).searchParams);
  if ("objection" in question) return line(400, question.objection);
  const wait = new AbortController();
  const late = sleep(clock, ANSWER_MS, wait.signal).then((): "late" => "late");
  const chain = await Promise.race([firstChain(question.candidates, ask), late]).finally(() => wait.abort());
  if (chain === "late") return line(503, `the controllers' journals did not answer within ${ANSWER_MS / 1000} s`);
  if (!chain) return line(404, unknownText(question.candidates[0]));
  const nowMs = clock.wallMs();
  if (accepts(request, "application/json", "text/plain") === "text/plain") {
    return new Response(chainText(chain, nowMs), {
      headers: { "content-type": "text/plain; charset=utf-8", ...NO_CACHE },
    });
  }
  const value = { askedAt: new Date(nowMs).toISOString(), ...chain };
  return new Response(`${JSON.stringify(value, null, 2)}\n`, {
    headers: { "content-type": "application/json", ...NO_CACHE },
  });
}

type Question = { readonly candidates: readonly ObjectName[] } | { readonly objection: string };

/**
 * The object in the query. A kind that is not built in is tried as written and without a trailing `s`; it may be
 * cluster-scoped.
 */
function questionOf(query: URLSearchParams): Question {
  const unknown = [...query.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) return { objection: `unknown parameter ${JSON.stringify(unknown)}: ${USAGE}` };
  const { resource = "", namespace = "", name = "" } = Object.fromEntries(query);
  if (resource === "" || name === "") return { objection: `resource and name are needed: ${USAGE}` };
  for (const [parameter, value] of Object.entries({ resource, namespace, name })) {
    if (value.length > 253 || /[\s/]/.test(value)) {
      return { objection: `${parameter} is not valid: at most 253 characters, without slashes and spaces` };
    }
  }
  const known = resourceCalled(resource);
  if (known) {
    if (known.namespaced && namespace === "") {
      return { objection: `namespace is needed: ${known.plural} are in namespaces` };
    }
    return { candidates: [{ kind: known.kind.toLowerCase(), key: joinKey(known.namespaced ? namespace : "", name) }] };
  }
  const kinds = singulars(resource.toLowerCase().split(".")[0]);
  const keys = [...new Set([joinKey(namespace, name), name])];
  return { candidates: kinds.flatMap((kind) => keys.map((key) => ({ kind, key }))) };
}

const USAGE = "/debug/why?resource=pods&namespace=default&name=web-0";

function singulars(text: string): string[] {
  const all = [text, text.replace(/ies$/, "y"), text.replace(/s$/, ""), text.replace(/es$/, "")];
  return [...new Set(all)];
}

async function firstChain(candidates: readonly ObjectName[], ask: AskJournals): Promise<Chain | undefined> {
  for (const candidate of candidates) {
    const chain = await chainOf(candidate, ask);
    if (chain) return chain;
  }
  return undefined;
}

function unknownText({ kind, key }: ObjectName): string {
  return `nothing is known of ${kind}/${key}: no sync that the journal of this process still holds was of it, wrote it, or ran ` +
    `because of it (only the leader has syncs)`;
}

function line(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new Response(`${text}\n`, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", ...NO_CACHE, ...headers },
  });
}
