import { assert, assertEquals } from "@std/assert";
import fc from "../fast_check.ts";
import { PODS } from "../../src/api/mod.ts";
import { FakeWorld } from "../../src/base/mod.ts";
import { StatusError } from "../../src/client/mod.ts";
import { FrameError, type ListWatch, Reflector } from "../../src/watch/mod.ts";
import { Body, bookmark, errorEvent, event, FakeSink } from "../unit/watch/fakes.ts";

/** An API server with one resource, a history that it forgets, and faults that are drawn. */
class ModelServer implements ListWatch {
  readonly objects = new Map<string, number>();
  readonly #history: { readonly rv: number; readonly text: string }[] = [];
  readonly #open = new Set<Body>();
  readonly #fault: (n: number) => number;
  #rv = 1;
  #oldest = 1;
  isFaulty = true;

  /** @param fault Draws a number below its argument. */
  constructor(fault: (n: number) => number) {
    this.#fault = fault;
  }

  write(name: string, isDelete: boolean) {
    const known = this.objects.has(name);
    if (isDelete && !known) return;
    const rv = ++this.#rv;
    if (isDelete) this.objects.delete(name);
    else this.objects.set(name, rv);
    const text = event(isDelete ? "DELETED" : known ? "MODIFIED" : "ADDED", name, rv);
    this.#history.push({ rv, text });
    for (const body of this.#open) this.#send(body, text);
  }

  /** Forgets all history up to now. */
  compact() {
    this.#oldest = this.#rv;
  }

  /** Ends all watches in one of the ways that networks and servers know. */
  disturb(kind: number) {
    for (const body of this.#open) {
      if (kind === 0) body.close();
      else if (kind === 1) body.push('{"type":"MODIFIED","object":{"ki').close();
      else if (kind === 2) body.fail(new Error("connection reset"));
      else if (kind === 3) body.push(bookmark(this.#rv));
      else if (kind === 4) body.push(errorEvent(500, "InternalError"));
      else body.push("no JSON");
      if (kind !== 3) this.#open.delete(body);
    }
  }

  list({ limit, continue: token, resourceVersion }: { limit?: number; continue?: string; resourceVersion?: string }) {
    assert(token === undefined || resourceVersion === undefined, "continue and resourceVersion together");
    const refusal = this.#refusal();
    if (refusal) return Promise.reject(refusal);
    const names = [...this.objects.keys()];
    const start = Number(token ?? 0);
    if (this.isFaulty && token && this.#fault(4) === 0) return Promise.reject(gone());
    const end = limit && this.#fault(2) === 0 ? start + 2 : names.length;
    const items = names.slice(start, end).map((name) => ({
      metadata: { name, resourceVersion: String(this.objects.get(name)) },
    }));
    const metadata = { resourceVersion: String(this.#rv), continue: end < names.length ? String(end) : undefined };
    const text = JSON.stringify({ kind: "PodList", apiVersion: "v1", metadata, items });
    const isCut = this.isFaulty && this.#fault(6) === 0;
    const body = new Body();
    this.#send(body, isCut ? text.slice(0, -3) : text);
    return Promise.resolve(body.close().stream);
  }

  watch({ resourceVersion, sendInitialEvents }: { resourceVersion?: string; sendInitialEvents?: true }) {
    const refusal = this.#refusal();
    if (refusal) return Promise.reject(refusal);
    const from = Number(resourceVersion ?? 0);
    const body = new Body();
    if (sendInitialEvents) {
      if (from > 0 && this.isFaulty && this.#fault(4) === 0) return Promise.reject(gone());
      for (const [name, rv] of this.objects) this.#send(body, event("ADDED", name, rv));
      if (this.isFaulty && this.#fault(4) === 0) return Promise.resolve(body.close().stream);
      this.#send(body, bookmark(this.#rv, "true"));
    } else if (from < this.#oldest) {
      return Promise.resolve(new Body(errorEvent(410, "Expired")).close().stream);
    } else for (const { rv, text } of this.#history) if (rv > from) this.#send(body, text);
    this.#open.add(body);
    return Promise.resolve(body.stream);
  }

  #send(body: Body, text: string) {
    const at = this.#fault(text.length);
    for (const part of [text.slice(0, at), text.slice(at)]) if (part) body.push(part);
  }

  #refusal(): Error | undefined {
    if (!this.isFaulty || this.#fault(3) > 0) return undefined;
    const code = [410, 429, 500, 403, 422][this.#fault(5)];
    return code === 410 ? gone() : new StatusError({ code, reason: "", message: "drawn" });
  }
}

const gone = () => new StatusError({ code: 410, reason: "Expired", message: "drawn" });

const step = fc.oneof(
  fc.record({ write: fc.constantFrom("a", "b", "c", "d", "e"), isDelete: fc.boolean() }),
  fc.record({ disturb: fc.nat(5) }),
  fc.record({ passMs: fc.nat(60_000) }),
  fc.constant("compact" as const),
  fc.constant("sink fails" as const),
);

Deno.test("Reflector: what the sink may miss in between is made good by the next list, whatever goes wrong", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.integer(), fc.boolean(), async (steps, seed, watchList) => {
      const world = new FakeWorld({ seed });
      const server = new ModelServer((n) => Math.floor(world.random.float() * n));
      const sink = new FakeSink();
      let failures = 0;
      sink.before = () => {
        if (failures > 0 && failures--) throw new FrameError("drawn");
      };
      const stop = new AbortController();
      const reflector = new Reflector({ world, resource: PODS, listWatch: server, sink, watchList });
      const done = reflector.run(stop.signal);
      for (const step of steps) {
        if (step === "compact") server.compact();
        else if (step === "sink fails") failures++;
        else if ("write" in step) server.write(step.write, step.isDelete);
        else if ("disturb" in step) server.disturb(step.disturb);
        else await world.clock.advance(step.passMs);
      }
      server.isFaulty = false;
      failures = 0;
      await world.clock.advance(150_000);
      const expected = [...server.objects].map(([name, rv]) => [name, String(rv)]).sort();
      assertEquals([...sink.content].sort(), expected);
      assertEquals(reflector.state.name, "watching");
      stop.abort();
      await done;
      assertEquals(world.clock.pendingTimers, 0);
    }),
    { numRuns: 200 },
  );
});
