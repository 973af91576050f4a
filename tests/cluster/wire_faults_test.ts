/** Faults on the wire between an informer and a real kube-apiserver: whatever happens, the cache ends equal to the server. */
import { assert, assertEquals } from "@std/assert";
import { MemoryLogger, systemWorld } from "../../src/base/mod.ts";
import { type ConfigMap, CONFIGMAPS, objectKey } from "../../src/api/mod.ts";
import { InformerFactory, type SharedInformer } from "../../src/cache/mod.ts";
import { Client, httpTransport } from "../../src/client/mod.ts";
import { eventually } from "../controlplane/process.ts";
import { type Fault, WireProxy } from "../controlplane/wire_proxy.ts";
import { Cluster, clusterTest } from "./cluster.ts";

/** A watch that says nothing for so long is begun anew. */
const PROGRESS_DEADLINE_MS = 3_000;

/** An informer behind its own proxy, and what its handler was told. */
class Subject implements AsyncDisposable {
  readonly name: string;
  readonly proxy: WireProxy;
  readonly informer: SharedInformer<ConfigMap>;
  /** The store as the notifications alone give it. */
  readonly told = new Map<string, string>();
  readonly #stop = new AbortController();
  readonly #factory: InformerFactory;

  constructor(cluster: Cluster, user: { cert: string; key: string }, name: string, script: readonly Fault[]) {
    this.name = name;
    this.proxy = new WireProxy({
      serverPort: cluster.plane.port,
      caCert: cluster.plane.authority.cert,
      user,
      fault: ({ index }) => script[index],
    });
    const world = systemWorld(new MemoryLogger());
    const client = new Client({
      world,
      transport: httpTransport({ world }),
      server: this.proxy.server,
      userAgent: "faults",
    });
    this.#factory = new InformerFactory({
      world,
      client,
      namespace: "faults",
      progressDeadlineMs: PROGRESS_DEADLINE_MS,
    });
    this.informer = this.#factory.informer(CONFIGMAPS);
    const put = (object: ConfigMap) => this.told.set(objectKey(object), object.metadata!.resourceVersion!);
    this.informer.addEventHandler({
      onAdd: put,
      onUpdate: (_, object) => put(object),
      onDelete: (gone) => this.told.delete("key" in gone ? gone.key : objectKey(gone)),
    });
    this.#factory.start(this.#stop.signal);
  }

  /** Key to resourceVersion of what it holds. */
  get held(): Map<string, string> {
    return new Map(
      this.informer.indexer.list().map((object) => [objectKey(object), object.metadata!.resourceVersion!]),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#factory.shutdown();
    await this.proxy[Symbol.asyncDispose]();
  }
}

const status = (code: number, reason: string, message = "from the proxy") =>
  JSON.stringify({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code, reason, message });
const errorEvent = (code: number, reason: string) => `{"type":"ERROR","object":${status(code, reason)}}\n`;
const answer = (code: number, reason: string, headers?: Record<string, string>): Fault => ({
  kind: "answer",
  status: code,
  headers,
  body: status(code, reason),
});

/** Where a body of about 30 objects is cut: close together at first, so that every kind of byte is met. */
const CUTS = [
  0,
  1,
  2,
  3,
  7,
  8,
  9,
  16,
  17,
  24,
  33,
  47,
  60,
  71,
  85,
  100,
  128,
  171,
  222,
  300,
  401,
  555,
  777,
  1000,
  1717,
  2500,
  4001,
  6000,
  9000,
];

function scripts(): Map<string, readonly Fault[]> {
  const all = new Map<string, readonly Fault[]>();
  for (const afterBytes of CUTS) all.set(`cut after ${afterBytes}`, [{ kind: "cut", afterBytes }]);
  for (const afterBytes of [0, 50, 1000]) all.set(`stalled after ${afterBytes}`, [{ kind: "stall", afterBytes }]);
  for (const size of [1, 7]) all.set(`chunks of ${size}`, [{ kind: "chunks", size }]);
  all.set("410 to the first request", [answer(410, "Expired")]);
  all.set("410 in mid-stream", [{ kind: "insert", afterLines: 5, text: errorEvent(410, "Expired") }]);
  all.set("500 in mid-stream", [{ kind: "insert", afterLines: 35, text: errorEvent(500, "InternalError") }]);
  all.set("429 twice", [answer(429, "TooManyRequests", { "retry-after": "1" }), answer(429, "TooManyRequests")]);
  all.set("500 to watch and list", [answer(500, "InternalError"), answer(500, "InternalError")]);
  all.set("503 with Retry-After", [answer(503, "ServiceUnavailable", { "retry-after": "1" })]);
  all.set("a page of HTML", [{
    kind: "answer",
    status: 200,
    headers: { "content-type": "text/html" },
    body: "<html>hello</html>",
  }]);
  all.set("every event twice", [{ kind: "twice" }]);
  all.set("refused twice", [{ kind: "refuse" }, { kind: "refuse" }]);
  all.set("half a frame", [{ kind: "insert", afterLines: 33, text: '{"type":"ADDED","object":{"kind":"ConfigMap"\n' }]);
  all.set("a frame that is not JSON", [{
    kind: "insert",
    afterLines: 33,
    text: '{"type":"ADDED","object":{nonsense}}\n',
  }]);
  all.set("an unknown event type", [{
    kind: "insert",
    afterLines: 33,
    text: '{"type":"RENAMED","object":{"kind":"ConfigMap"}}\n',
  }]);
  all.set("an object without metadata", [
    { kind: "insert", afterLines: 33, text: '{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1"}}\n' },
  ]);
  all.set("an object of another kind", [
    {
      kind: "insert",
      afterLines: 33,
      text:
        '{"type":"ADDED","object":{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","namespace":"faults","resourceVersion":"1"}}}\n',
    },
  ]);
  return all;
}

/** How many watches one after the other may have said nothing since then. */
function quietWatches(sinceMs: number): number {
  return Math.floor((performance.now() - sinceMs) / PROGRESS_DEADLINE_MS);
}

clusterTest("informers end equal to the server whatever the wire does, without a hot loop", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  const user = await cluster.plane.authority.client("faults", ["system:masters"]);
  await cluster.plane.kubectl(["create", "namespace", "faults"]);
  const put = (i: number, text: string) =>
    cluster.client.apply(CONFIGMAPS, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `c${i}`, namespace: "faults" },
      data: { text: `${text} "quoted" \\ {braces} [brackets] é 漢 🚀\n` },
    }, { fieldManager: "faults", force: true });
  for (let i = 0; i < 30; i++) await put(i, "first");
  await using subjects = new AsyncDisposableStack();
  const startMs = performance.now();
  const all = [...scripts()].map(([name, script]) => subjects.use(new Subject(cluster, user, name, script)));
  const server = async () => {
    const { items } = await cluster.client.list(CONFIGMAPS, { namespace: "faults" });
    return new Map(items.map((item) => [objectKey(item), item.metadata!.resourceVersion!]));
  };
  const allEqual = async (when: string) => {
    const expected = await server();
    for (const subject of all) {
      await eventually(`${subject.name}: cache and handler equal the server ${when}`, () => {
        assertEquals(subject.held, expected);
        assertEquals(subject.told, expected);
        return true;
      }, { withinMs: 90_000 });
    }
  };
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i < 30; i += 3) await put(i, `round ${round}`);
    await cluster.client.delete(CONFIGMAPS, { namespace: "faults", name: `c${round}` });
    await put(100 + round, "new");
  }
  await allEqual("after changes under faults");

  // The server dies and comes back: watches end, and all catch up from where they were.
  const requestsBefore = all.map((subject) => subject.proxy.requests.length);
  const mostBefore = 12 + quietWatches(startMs);
  await cluster.plane.killApiserver();
  for (const subject of all) subject.proxy.cutAll();
  await cluster.plane.startApiserver();
  await put(200, "after the restart");
  await cluster.client.delete(CONFIGMAPS, { namespace: "faults", name: "c20" });
  await allEqual("after the API server was killed and restarted");

  const most = 40 + quietWatches(startMs);
  for (const [i, subject] of all.entries()) {
    const requests = subject.proxy.requests;
    assert(
      requestsBefore[i] <= mostBefore,
      `${subject.name}: ${requests.length} requests before the restart:\n${requests.join("\n")}`,
    );
    assert(requests.length <= most, `${subject.name}: ${requests.length} requests in all:\n${requests.join("\n")}`);
  }
});
