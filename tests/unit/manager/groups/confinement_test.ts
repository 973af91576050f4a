import { assertEquals } from "@std/assert";
import { SharedFence } from "../../../../src/election/mod.ts";
import { threadOptions } from "../../../../src/manager/groups/start_thread.ts";

/** Starts a group's thread that tries what it can, gives it a fence, and takes what it says. */
async function triesOf(address?: string) {
  const worker = new Worker(new URL("./confinement_worker.ts", import.meta.url), threadOptions(address));
  try {
    return await new Promise<{ refused: string[]; done: string[]; memories: number; fence: string[] }>(
      (resolve, reject) => {
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = (event) => {
          event.preventDefault();
          reject(new Error(event.message));
        };
        const fence = new SharedFence();
        fence.openUntil({ monotonicMs: 7, wallMs: 8 });
        worker.postMessage([{ what: "fence", memory: fence.lend().memory }]);
        worker.postMessage([{ what: "start" }]);
      },
    );
  } finally {
    worker.terminate();
  }
}

for (const address of [undefined, "127.0.0.1:1"]) {
  Deno.test(`confinement: of Deno, only what opens a connection stays; text never becomes code; the memory of the thread's fence comes in the first message, which no other listener hears: with ${address ? "an address to reach" : "no permission"} a thread reaches nothing beyond itself`, async () => {
    const { refused, done, memories, fence } = await triesOf(address);
    assertEquals(done, []);
    assertEquals(refused.length, 27);
    assertEquals([memories, fence], [0, ["7000", "8000"]], "the fence's memory is read, and seen by nobody");
  });
}

Deno.test("confinement: a thread that has any permission other than to reach one address does not start", async () => {
  const url = new URL("../../../../src/manager/groups/group_worker.ts", import.meta.url);
  const worker = new Worker(url, { type: "module", deno: { permissions: { env: true } } });
  const message = await new Promise<string>((resolve) => {
    worker.onerror = (event) => {
      event.preventDefault();
      resolve(event.message);
    };
  });
  worker.terminate();
  assertEquals(message.includes("a controller group must not have permissions, but has: env"), true, message);
});
