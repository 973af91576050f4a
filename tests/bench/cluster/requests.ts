/** How many requests kube-apiserver got, as its own metrics say. */
import { exchangeOf, type Transport, type WireRequest } from "../../../src/client/mod.ts";

/** By verb, as kube-apiserver calls them. Watches are among them once they have ended. */
export type Requests = Readonly<Record<string, number>>;

/** Out of the text at `/metrics`; only requests for resources. */
export function requestsOf(metrics: string): Requests {
  const requests: Record<string, number> = {};
  for (const [, labels, count] of metrics.matchAll(/^apiserver_request_total\{(.*)\} (\S+)$/gm)) {
    const { verb, resource } = labelsOf(labels);
    if (resource !== "") requests[verb] = (requests[verb] ?? 0) + Number(count);
  }
  return requests;
}

/** Watches that are open, out of the text at `/metrics`. */
export function openWatchesOf(metrics: string): number {
  const gauge = /^apiserver_longrunning_requests\{.*verb="WATCH".*\} (\d+)$/gm;
  return [...metrics.matchAll(gauge)].reduce((sum, [, value]) => sum + Number(value), 0);
}

function labelsOf(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
}

/** What is left of `requests` without `others`. */
export function without(requests: Requests, others: Requests): Requests {
  const left = Object.entries(requests).map(([verb, count]) => [verb, count - (others[verb] ?? 0)] as const);
  return Object.fromEntries(left.filter(([, count]) => count > 0));
}

/** `transport`, with each request added to `sent`. It is for clients that read lists only. */
export function counted(transport: Transport, sent: Record<string, number>): Transport {
  const exchange = exchangeOf(transport);
  return Object.assign(transport, {
    exchange: (request: WireRequest) => {
      const verb = verbOf(request);
      sent[verb] = (sent[verb] ?? 0) + 1;
      return exchange(request);
    },
  });
}

function verbOf({ method, url, headers }: WireRequest): string {
  if (method === "GET") return "LIST";
  if (method === "PATCH" && headers["content-type"] === "application/apply-patch+yaml") return "APPLY";
  return method === "DELETE" && COLLECTION.test(url) ? "DELETECOLLECTION" : method;
}

const COLLECTION = /\/namespaces\/[^/]+\/[^/]+(\?|$)/;
