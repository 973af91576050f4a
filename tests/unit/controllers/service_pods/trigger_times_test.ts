import { assertEquals } from "@std/assert";
import type { Pod, Service } from "../../../../src/api/mod.ts";
import { TriggerTimes } from "../../../../src/controllers/service_pods/mod.ts";

const time = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, "0")}Z`;

function service(created: number): Service {
  return { metadata: { namespace: "a", name: "s", creationTimestamp: time(created) } };
}

function pod(name: string, since: number): Pod {
  const conditions = [{ type: "Ready", status: "True", lastTransitionTime: time(since) }];
  return { metadata: { namespace: "a", name }, status: { conditions } };
}

Deno.test("TriggerTimes: a Service that is seen for the first time gives the time of its creation", () => {
  assertEquals(new TriggerTimes().next(service(5), [pod("p", 9), pod("q", 2)]), time(5));
  assertEquals(new TriggerTimes().next({ metadata: { name: "s" } }, []), undefined);
});

Deno.test("TriggerTimes: later it is the earliest time, of the Service's creation and of changes of its pods' readiness, that is later than what was seen of the same object before", () => {
  const times = new TriggerTimes();
  times.next(service(1), [pod("p", 2), pod("q", 2)]);
  assertEquals(times.next(service(1), [pod("p", 9), pod("q", 7)]), time(7));
  assertEquals(times.next(service(1), [pod("p", 9), pod("q", 8), pod("new", 3)]), time(3));
  assertEquals(times.next(service(20), [pod("p", 9), pod("q", 30)]), time(20), "a Service made anew");
});

Deno.test("TriggerTimes: if nothing has a later time there is none", () => {
  const times = new TriggerTimes();
  times.next(service(1), [pod("p", 2)]);
  assertEquals(times.next(service(1), [pod("p", 2), { metadata: { name: "not looked at yet" } }]), undefined);
  assertEquals(times.next(service(1), [pod("p", 1)]), undefined);
});

Deno.test("TriggerTimes: pods that are not given any more are forgotten, and all of a Service when it is forgotten", () => {
  const times = new TriggerTimes();
  times.next(service(1), [pod("p", 2)]);
  times.next(service(1), []);
  assertEquals(times.next(service(1), [pod("p", 2)]), time(2));
  assertEquals(times.size, 1);
  times.forget("a/s");
  assertEquals(times.size, 0);
  assertEquals(times.next(service(1), [pod("p", 2)]), time(1));
});
