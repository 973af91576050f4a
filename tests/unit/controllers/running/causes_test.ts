import { assertEquals } from "@std/assert";
import { cause, changeOf, parseCause } from "../../../../src/controllers/running/mod.ts";

const pod = (resourceVersion?: string) => ({ metadata: { namespace: "a", name: "p", resourceVersion } });

Deno.test("cause says which object changed, how, and to which version", () => {
  assertEquals(String(cause("pod", pod("7"), "added")), "pod/a/p added at 7");
  assertEquals(String(cause("pod", pod(), "deleted")), "pod/a/p deleted");
  assertEquals(String(cause("node", "n1", "deleted")), "node/n1 deleted");
});

Deno.test("cause is the same as another exactly if its words are", () => {
  const causes = [
    cause("pod", pod("7"), "added"),
    cause("pod", pod("7"), "updated"),
    cause("pod", pod("8"), "updated"),
    cause("job", pod("8"), "updated"),
    cause("pod", { metadata: { namespace: "b", name: "p", resourceVersion: "8" } }, "updated"),
    cause("pod", pod(), "deleted"),
    cause("pod", "a/p", "deleted"),
    cause("pod", "a/q", "deleted"),
  ];
  for (const a of causes) {
    for (const b of causes) assertEquals(a.isSameAs(b), String(a) === String(b), `${a} and ${b}`);
  }
});

Deno.test("changeOf tells a replay of the cache from an update", () => {
  assertEquals(changeOf(pod("7"), pod("8")), "updated");
  assertEquals(changeOf(pod("7"), pod("7")), "resynced");
  assertEquals(changeOf(pod(), pod()), "updated");
});

Deno.test("parseCause reads what cause wrote, perhaps with more words, and nothing else", () => {
  const parts = { kind: "pod", key: "a/p", change: "updated", resourceVersion: "7" };
  assertEquals(parseCause("pod/a/p updated at 7"), parts as never);
  assertEquals(parseCause("pod/a/p updated at 7: foreground deletion began") as unknown, parts);
  assertEquals(parseCause("node/n1 deleted"), {
    kind: "node",
    key: "n1",
    change: "deleted",
    resourceVersion: undefined,
  });
  for (const text of ["minReadySeconds passed", "retry: pod/a/p updated at 7", "", "pod/a/p vanished"]) {
    assertEquals(parseCause(text), undefined, text);
  }
});
