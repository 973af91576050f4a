/** Events as `events.k8s.io` serves them: kept by the core group, held to rules of their own. */
import { assertEquals } from "@std/assert";
import { Harness, type Loose } from "./harness.ts";

const CORE = "/api/v1/namespaces/default/events";
const NEWER = "/apis/events.k8s.io/v1/namespaces/default/events";

async function withEvent(): Promise<Harness> {
  const api = new Harness({ managedFields: true });
  await api.post(CORE, {
    metadata: { name: "e" },
    involvedObject: { kind: "Pod", namespace: "default", name: "a" },
    reason: "R",
    type: "Normal",
    source: { component: "c" },
    eventTime: "2026-01-01T00:00:00.000000Z",
    action: "A",
    reportingComponent: "example.com/c",
    reportingInstance: "i",
  });
  return api;
}

Deno.test("ApiServer keeps an event's source, and names the core group's kind where somebody would change it", async () => {
  using api = await withEvent();
  const { body: event } = await api.get(`${NEWER}/e`);
  const { status, body } = await api.put(`${NEWER}/e`, { ...event, deprecatedSource: { component: "d" } });
  assertEquals([status, body.details.kind, body.details.group], [422, "Event", undefined]);
  assertEquals(body.message, 'Event "e" is invalid: source: Invalid value: {"component":"d"}: field is immutable');
});

Deno.test("ApiServer forgets who owns an event's fields by the core group once the newer group is written to", async () => {
  using api = await withEvent();
  const series = { count: 2, lastObservedTime: "2026-01-01T00:00:01.000000Z" };
  const { body } = await api.put(`${NEWER}/e`, { ...(await api.get(`${NEWER}/e`)).body, series });
  assertEquals(body.metadata.managedFields.map(({ apiVersion }: Loose) => apiVersion), ["events.k8s.io/v1"]);
});
