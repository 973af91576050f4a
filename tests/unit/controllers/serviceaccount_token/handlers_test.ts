import { assertEquals } from "@std/assert";
import type { KubeObject } from "../../../../src/api/mod.ts";
import { DeletedFinalStateUnknown } from "../../../../src/cache/mod.ts";
import { accountHandler, secretHandler } from "../../../../src/controllers/serviceaccount_token/handlers.ts";
import { objectKeyIn, readKey } from "../../../../src/controllers/serviceaccount_token/keys.ts";

function recordedQueue() {
  const keys: string[] = [];
  return { keys, queue: { add: (key: string) => void keys.push(key) } };
}

const object = (uid: string) => ({ metadata: { namespace: "a", name: "n", uid } });

Deno.test("accountHandler: an account is queued when it is gone, with its UID, also if that was missed", () => {
  const { keys, queue } = recordedQueue();
  const handler = accountHandler(queue);
  handler.onAdd?.(object("1"), true);
  handler.onUpdate?.(object("1"), object("1"));
  assertEquals(keys, []);
  handler.onDelete?.(object("1"));
  handler.onDelete?.(new DeletedFinalStateUnknown("a/n", object("2")));
  handler.onDelete?.(new DeletedFinalStateUnknown<KubeObject>("a/n", undefined));
  handler.onUpdate?.(object("3"), object("4"));
  assertEquals(keys.map((key) => readKey(key).uid), ["1", "2", "3"]);
  assertEquals(keys.map(objectKeyIn), ["a/n", "a/n", "a/n"]);
});

Deno.test("secretHandler: a Secret is queued with what it says of its account", () => {
  const { keys, queue } = recordedQueue();
  const handler = secretHandler(queue);
  const annotations = { "kubernetes.io/service-account.name": "bot", "kubernetes.io/service-account.uid": "u" };
  const secret = { metadata: { ...object("1").metadata, annotations } };
  handler.onAdd?.(secret, false);
  handler.onUpdate?.(secret, object("1"));
  handler.onDelete?.(new DeletedFinalStateUnknown("a/n", secret));
  assertEquals(keys.map((key) => readKey(key).account), [
    { name: "bot", uid: "u" },
    { name: "", uid: "" },
    { name: "bot", uid: "u" },
  ]);
});
