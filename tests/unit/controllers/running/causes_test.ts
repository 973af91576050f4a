import { assertEquals } from "@std/assert";
import { cause, causeWith, changeOf } from "../../../../src/controllers/running/mod.ts";

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

Deno.test("cause refers to the change as fields, with more words or without", () => {
  const change = { kind: "pod", key: "a/p", change: "updated", resourceVersion: "7" } as const;
  const updated = cause("pod", pod("7"), "updated");
  assertEquals(updated.refersTo, change);
  const remark = causeWith(updated, "foreground deletion began");
  assertEquals([String(remark), remark.refersTo], ["pod/a/p updated at 7: foreground deletion began", change]);
  const deleted = cause("node", "n1", "deleted");
  assertEquals(deleted.refersTo, { kind: "node", key: "n1", change: "deleted", resourceVersion: undefined });
});

Deno.test("causeWith is the same as another exactly if its words are", () => {
  const [seven, eight] = [cause("pod", pod("7"), "updated"), cause("pod", pod("8"), "updated")];
  const causes = [seven, causeWith(seven, "owner"), causeWith(seven, "dependent"), causeWith(eight, "owner")];
  const again = [
    cause("pod", pod("7"), "updated"),
    ...causes.slice(1).map((_, i) =>
      causeWith(cause("pod", pod(i === 2 ? "8" : "7"), "updated"), i === 1 ? "dependent" : "owner")
    ),
  ];
  for (const a of causes) for (const b of again) assertEquals(a.isSameAs(b), String(a) === String(b), `${a} and ${b}`);
});
