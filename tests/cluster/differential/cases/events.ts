/** Events, which two groups serve; what the newer one keeps as it is. */
import type { DifferentialCase, Probe } from "../probe.ts";
import { type Fields, merge, post } from "../requests.ts";

const NEWER = "/apis/events.k8s.io/v1/namespaces/{ns}/events";

const changed = (fields: Fields): Probe => merge(`${NEWER}/e`, fields);

export const CASES: readonly DifferentialCase[] = [
  {
    name: "an event keeps what it is of and who says it",
    probes: [
      post("/api/v1/namespaces/{ns}/events", {
        metadata: { name: "e" },
        involvedObject: { kind: "Pod", namespace: "{ns}", name: "a" },
        reason: "R",
        type: "Normal",
        source: { component: "c" },
        eventTime: "2026-01-01T00:00:00.000000Z",
        action: "A",
        reportingComponent: "example.com/c",
        reportingInstance: "i",
      }),
      changed({ regarding: { name: "b" } }),
      changed({ deprecatedSource: { host: "h" } }),
      changed({ related: { name: "b" } }),
      changed({ reason: "S", note: "changed", action: "B", type: "Warning" }),
      changed({ reportingController: "example.com/d", reportingInstance: "j", deprecatedCount: 2 }),
      changed({ eventTime: "2026-01-02T00:00:00.000000Z", deprecatedFirstTimestamp: "2026-01-01T00:00:00Z" }),
      changed({ series: { count: 2, lastObservedTime: "2026-01-01T00:00:01.000000Z" } }),
    ],
  },
];
