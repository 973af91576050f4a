import { assert, assertEquals } from "@std/assert";
import fc from "../fast_check.ts";
import type { KubeObject } from "../../src/api/mod.ts";
import { type EventHandler, finalStateOf } from "../../src/cache/mod.ts";
import { contentOf, event, type EventType, item, pod, rig } from "../unit/cache/fixtures.ts";

const names = fc.constantFrom("a", "b", "c", "d", "e");
const change = fc.record({ name: names, gone: fc.boolean() });
const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ events: fc.array(change, { minLength: 1, maxLength: 8 }) }) },
    { weight: 2, arbitrary: fc.record({ relistAfter: fc.array(change, { maxLength: 8 }), streamed: fc.boolean() }) },
    { weight: 2, arbitrary: fc.constantFrom("bookmark", "replay", "abandoned list") },
    { weight: 3, arbitrary: fc.constantFrom("turn", "turn", "add handler", "remove handler") },
  ),
  { maxLength: 40 },
);

type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;
type Step = typeof steps extends fc.Arbitrary<(infer S)[]> ? S : never;

/** The API server's state, and the events that its changes cause. */
class Server {
  readonly objects = new Map<string, KubeObject>();
  version = 1;

  change({ name, gone }: Change): [EventType, KubeObject] | undefined {
    const known = this.objects.get(name);
    if (gone && !known) return undefined;
    const object = pod(name, ++this.version, { uid: known?.metadata?.uid ?? `uid-${this.version}` });
    if (gone) this.objects.delete(name);
    else this.objects.set(name, object);
    return [gone ? "DELETED" : known ? "MODIFIED" : "ADDED", object];
  }
}

/** Replays what it is told and rejects what does not fit what it was told before. */
class Replayer implements EventHandler<KubeObject> {
  readonly view = new Map<string, KubeObject>();
  readonly complaints: string[] = [];

  onAdd(object: KubeObject): void {
    this.#expect(!this.view.has(object.metadata!.name!), `second add of ${object.metadata!.name}`);
    this.view.set(object.metadata!.name!, object);
  }

  onUpdate(oldObject: KubeObject, newObject: KubeObject): void {
    this.#expectKnown(oldObject);
    this.view.set(newObject.metadata!.name!, newObject);
  }

  onDelete(object: Parameters<NonNullable<EventHandler<KubeObject>["onDelete"]>>[0]): void {
    const state = finalStateOf(object)!;
    this.#expect(this.view.delete(state.metadata!.name!), `delete of unknown ${state.metadata!.name}`);
  }

  #expectKnown(object: KubeObject): void {
    const known = this.view.get(object.metadata!.name!);
    this.#expect(
      known?.metadata?.resourceVersion === object.metadata?.resourceVersion,
      `update of ${object.metadata!.name} from a state it was not told of`,
    );
  }

  #expect(claim: boolean, complaint: string): void {
    if (!claim) this.complaints.push(complaint);
  }
}

Deno.test("SharedInformer: a handler sees, for each object, one add, then updates, then at most one delete; what it was told is the store, whenever it was added; the store is the server's state", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      await using it = rig({ resyncPeriodMs: 1000, indexers: { uid: (object) => [object.metadata?.uid ?? ""] } });
      const server = new Server();
      const early = new Replayer();
      it.informer.addEventHandler(early);
      const late: { handler: Replayer; registration: ReturnType<typeof it.informer.addEventHandler> }[] = [];
      it.start();
      const { sink } = it.source;
      const relist = async (streamed: boolean) => {
        const replacement = sink.beginReplace();
        const objects = [...server.objects.values()];
        await replacement.events(objects.map((object) => streamed ? event("ADDED", object) : item(object)));
        await replacement.commit(String(server.version));
      };
      const play = async (step: Step) => {
        if (typeof step === "object" && "events" in step) {
          const events = step.events.map((one) => server.change(one)).filter((one) => one !== undefined);
          const taken = sink.events(events.map(([type, object]) => event(type, object)));
          if (taken) await taken; // otherwise the next step comes before anything was processed
        } else if (typeof step === "object") {
          for (const one of step.relistAfter) server.change(one);
          await relist(step.streamed);
        } else if (step === "bookmark") await sink.bookmark(String(++server.version));
        else if (step === "replay") await it.world.clock.advance(1000);
        else if (step === "abandoned list") {
          await sink.beginReplace().events([item(pod("never seen", 1))]);
        } else if (step === "turn") await it.settle();
        else if (step === "add handler") {
          const handler = new Replayer();
          late.push({ handler, registration: it.informer.addEventHandler(handler) });
        } else if (late.length > 0) await it.informer.removeEventHandler(late.pop()!.registration);
      };
      await relist(false);
      for (const step of history) await play(step);
      await it.settle();

      const expected = contentOf([...server.objects.values()]);
      assertEquals(contentOf(it.informer.lister.list()), expected);
      assertEquals(contentOf(it.informer.lister.list({ namespace: "ns" })), expected);
      const uids = [...server.objects.values()].map((object) => object.metadata!.uid!);
      assertEquals(it.informer.indexer.indexValues("uid").sort(), [...new Set(uids)].sort());
      for (const handler of [early, ...late.map((one) => one.handler)]) {
        assertEquals(handler.complaints, []);
        assertEquals(contentOf([...handler.view.values()]), expected);
      }
      assert(late.every((one) => one.registration.hasSynced));
      assertEquals(it.world.log.lines, []);
    }),
    { numRuns: 200 },
  );
});
