import type { FairQueue, MetricsRegistry } from "../../base/mod.ts";
import type { HttpsServer } from "../../https/mod.ts";
import type { AccessReviews, TokenReviews } from "./reviews.ts";

/** Metrics of the endpoint's open connections and requests, and of those that it refused. */
export function trackEndpoint(
  metrics: MetricsRegistry,
  { server, requests }: {
    readonly server: Pick<HttpsServer, "connections">;
    readonly requests: Pick<FairQueue, "held" | "refused">;
  },
): void {
  metrics.gauge({ name: "kubeloop_endpoint_connections", help: "Open connections to the secure port." })
    .track(() => server.connections.count);
  metrics.gauge({
    name: "kubeloop_endpoint_requests",
    help: "Requests at the secure port that wait for their turn or are being answered.",
  }).track(() => requests.held);
  const refused = metrics.counter({
    name: "kubeloop_endpoint_refused_total",
    help: "Connections to the secure port that were refused or ended to make room, and requests answered with 429.",
    labels: ["what"],
  });
  refused.track(() => server.connections.refused, ["connection"]);
  refused.track(() => requests.refused, ["request"]);
}

/** Metrics of the endpoint's questions to the API server, and of cached answers. */
export function trackReviews(
  metrics: MetricsRegistry,
  reviews: { readonly tokens?: TokenReviews; readonly access?: AccessReviews },
): void {
  const open = metrics.gauge({
    name: "kubeloop_endpoint_reviews",
    help: "TokenReviews and SubjectAccessReviews without an answer yet.",
    labels: ["review"],
  });
  const bytes = metrics.gauge({
    name: "kubeloop_endpoint_cached_review_bytes",
    help: "Memory that answers to TokenReviews and SubjectAccessReviews take until they expire.",
    labels: ["review"],
  });
  for (const [name, asked] of Object.entries(reviews)) {
    open.track(() => asked?.open ?? 0, [name]);
    bytes.track(() => asked?.cachedBytes ?? 0, [name]);
  }
}
