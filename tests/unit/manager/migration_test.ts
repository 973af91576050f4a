/** Controllers that move between two programs: each acts under the migration's lease alone, and never in two processes at a time. */
import { assert, assertEquals } from "@std/assert";
import { CONFIGMAPS, type Lease, LEASES } from "../../../src/api/mod.ts";
import { FakeWorld, sleep } from "../../../src/base/mod.ts";
import { Client, TransportClientBuilder } from "../../../src/client/mod.ts";
import { type BuiltController, defineController, type Host } from "../../../src/controllers/running/mod.ts";
import {
  CLOUD_CONTROLLER_MANAGER,
  type Component,
  KUBE_CONTROLLER_MANAGER,
  leaderMigration,
  managerFlags,
  managerOptions,
  runManagerProcess,
} from "../../../src/manager/mod.ts";
import { createApiServer } from "../../../src/sandbox/mod.ts";
import { FakeCloud } from "../cloud/fake_cloud.ts";

const SERVER = "http://api";
const MIGRATION = "cloud-provider-extraction-migration";

/** A write of a controller, as the API server saw it. */
interface Act {
  readonly by: string;
  readonly controller: string;
  readonly atMs: number;
  /** Who held the leases then. */
  readonly main: string;
  readonly migration: string;
}

class Run {
  readonly stop = new AbortController();
  isCut = false;
  code: number | undefined;
  constructor(readonly identity: string, readonly program: Host) {}
}

class Place {
  readonly world = new FakeWorld();
  readonly api = createApiServer({ world: this.world });
  readonly acts: Act[] = [];
  readonly runs: Run[] = [];
  readonly client = this.#client();
  readonly #ends: Promise<unknown>[] = [];

  /** @param component Who runs the mover, or `*`; not in the configuration at all if absent. */
  start(program: Host, component: string | undefined): Run {
    const run = new Run(`${program}-${this.runs.length + 1}`, program);
    this.runs.push(run);
    this.#ends.push(this.#run(run, component).then((code) => run.code = code));
    return run;
  }

  async #run(run: Run, component: string | undefined): Promise<number> {
    const { world } = this;
    const file = `/${run.identity}.yaml`;
    world.fileContents.set(
      file,
      "apiVersion: controllermanager.config.k8s.io/v1\nkind: LeaderMigrationConfiguration\n" +
        `leaderName: ${MIGRATION}\ncontrollerLeaders: ` +
        (component === undefined ? "[]\n" : `[{ name: mover-controller, component: "${component}" }]\n`),
    );
    const flags = managerFlags([
      "--secure-port=0",
      "--controller-groups=none",
      "--enable-leader-migration",
      `--leader-migration-config=${file}`,
      ...run.program === "cloud-controller-manager" ? ["--cloud-provider=fake"] : [],
    ], this.#component(run));
    const migration = await leaderMigration(world.files, flags);
    const transport = this.#transport(run);
    return await runManagerProcess({
      world,
      options: managerOptions(flags, migration?.elsewhere),
      migration,
      identity: run.identity,
      file: () => ({ text: "" }),
      endpointClients: {},
      setVerbosity: () => {},
      cloud: {
        providers: [{ name: "fake", open: () => Promise.resolve(new FakeCloud().provider) }],
        env: () => undefined,
        connect: () => () => Promise.reject(new Error("no network")),
      },
      spawn: () => {
        throw new TypeError("there are no groups");
      },
      clients: (mayWrite) => {
        const fenced = (request: Request) => {
          if (request.method !== "GET" && !mayWrite()) return Promise.reject(new Error("fenced"));
          return transport(request);
        };
        const program = run.program;
        return {
          controllers: new TransportClientBuilder({
            program,
            world,
            transport: fenced,
            server: SERVER,
            qps: -1,
            burst: 0,
          }),
          access: { transport: () => fenced },
          server: SERVER,
          log: () => {},
          election: new Client({ world, transport, server: SERVER, userAgent: "election", timeoutMs: 5000 }),
        };
      },
    }, run.stop.signal);
  }

  /** Two controllers that write all the time: one that moves and one that stays. */
  #component(run: Run): Component {
    const kind = run.program === "kube-controller-manager" ? KUBE_CONTROLLER_MANAGER : CLOUD_CONTROLLER_MANAGER;
    const row = (name: string): BuiltController =>
      defineController({
        name,
        hosts: [run.program],
        build: ({ clients, world }) => ({
          run: async (signal) => {
            const client = clients.client(name);
            do {
              await client.create(CONFIGMAPS, {
                metadata: {
                  generateName: "act-",
                  namespace: "default",
                  labels: { by: run.identity, controller: name },
                },
              }).catch(() => {});
            } while (await sleep(world.clock, 500, signal));
          },
        }),
      });
    const others = kind.controllers.map((other) => ({ ...other, build: undefined }));
    return { ...kind, controllers: [...others, row("mover-controller"), row(`${run.program}-own`)] };
  }

  #transport(run: Run): (request: Request) => Promise<Response> {
    return async (request) => {
      if (run.isCut) throw new Deno.errors.ConnectionRefused("cut off");
      if (request.method === "POST" && request.url.includes("/configmaps")) {
        const { metadata: { labels } } = await request.clone().json();
        this.acts.push({
          by: run.identity,
          controller: labels.controller,
          atMs: this.world.clock.monotonicMs(),
          main: await this.holder(run.program),
          migration: await this.holder(MIGRATION),
        });
        return Response.json({ kind: "ConfigMap", apiVersion: "v1", metadata: { name: "act" } }, { status: 201 });
      }
      return await this.api.fetch(request);
    };
  }

  /** Who holds a lease; empty if nobody does. */
  async holder(name: string): Promise<string> {
    const lease = await this.client.get(LEASES, { name, namespace: "kube-system" }).catch(() => undefined);
    return (lease as Lease | undefined)?.spec?.holderIdentity ?? "";
  }

  /** Who has acted as the mover since `sinceMs`. */
  movers(sinceMs: number): string[] {
    return [...new Set(this.acts.filter(isMover).filter(({ atMs }) => atMs >= sinceMs).map(({ by }) => by))];
  }

  get nowMs(): number {
    return this.world.clock.monotonicMs();
  }

  async pass(seconds: number): Promise<void> {
    for (let i = 0; i < seconds; i++) await this.world.clock.advance(1000);
  }

  /** Nobody acted without the lease under which it does. */
  check(): void {
    for (const act of this.acts) {
      const { by, controller, atMs } = act;
      const lease = isMover(act) ? act.migration : act.main;
      assertEquals(lease, by, `${by} acted as ${controller} at ${atMs} ms`);
    }
  }

  async end(): Promise<void> {
    for (const { stop } of this.runs) stop.abort();
    await this.pass(40);
    await Promise.all(this.#ends);
    this.api.close();
  }

  #client(): Client {
    return new Client({
      world: this.world,
      transport: (request) => this.api.fetch(request),
      server: SERVER,
      userAgent: "test",
    });
  }
}

const isMover = ({ controller }: Act) => controller === "mover-controller";
const KUBE = "kube-controller-manager";
const CLOUD = "cloud-controller-manager";

Deno.test("Term: controllers write nothing unless that very lease is held; the second one is asked for once the first is", async () => {
  const place = new Place();
  const first = place.start(KUBE, "*");
  await place.pass(5);
  assertEquals([await place.holder(KUBE), await place.holder(MIGRATION)], [first.identity, first.identity]);
  const standby = place.start(KUBE, "*");
  const cloud = place.start(CLOUD, "*");
  await place.pass(30);
  assertEquals([await place.holder(CLOUD), await place.holder(MIGRATION)], [cloud.identity, first.identity]);
  assertEquals(place.movers(0), [first.identity]);
  assertEquals(place.acts.some(({ by }) => by === standby.identity), false);
  assert(place.acts.some(({ by, controller }) => by === cloud.identity && controller === `${CLOUD}-own`));
  place.check();
  await place.end();
});

Deno.test("Term: a stop drains the controllers, then releases the lease, and so the mover moves both ways while both programs run", async () => {
  const place = new Place();
  let kube = place.start(KUBE, KUBE);
  let cloud = place.start(CLOUD, KUBE);
  await place.pass(10);
  assertEquals(place.movers(0), [kube.identity]);
  // Upstream's procedure: whoever gives the controller away goes first to `*`, then all name the new one.
  for (const [to, next] of [[CLOUD, "*"], [CLOUD, CLOUD], [KUBE, "*"], [KUBE, KUBE]] as const) {
    for (const which of to === CLOUD ? [KUBE, CLOUD] as const : [CLOUD, KUBE] as const) {
      const old = which === KUBE ? kube : cloud;
      old.stop.abort();
      await place.pass(1);
      assertEquals(old.code, 0);
      const run = place.start(which, next);
      if (which === KUBE) kube = run;
      else cloud = run;
      await place.pass(10);
    }
    if (next === "*") continue;
    const since = place.nowMs;
    await place.pass(10);
    assertEquals(place.movers(since), [to === CLOUD ? cloud.identity : kube.identity]);
  }
  place.check();
  await place.end();
});

Deno.test("losing either lease ends the process at once, and says which", async () => {
  for (const [name, words] of [[KUBE, "leaderelection lost"], [MIGRATION, "migration leaderelection lost"]]) {
    const place = new Place();
    const run = place.start(KUBE, "*");
    await place.pass(10);
    const lease = await place.client.get(LEASES, { name, namespace: "kube-system" }) as Lease;
    await place.client.update(LEASES, { ...lease, spec: { ...lease.spec, holderIdentity: "somebody else" } });
    await place.pass(15);
    assertEquals(run.code, 1, name);
    assert(place.world.log.lines.some(({ message }) => message === words), words);
    const since = place.nowMs;
    await place.pass(60);
    assertEquals(place.acts.filter(({ atMs }) => atMs >= since), []);
    place.check();
    await place.end();
  }
});

Deno.test("who is cut off from the API server loses both leases, and the other program takes the mover over", async () => {
  const place = new Place();
  const kube = place.start(KUBE, "*");
  await place.pass(10);
  const cloud = place.start(CLOUD, "*");
  await place.pass(10);
  kube.isCut = true;
  await place.pass(40);
  assertEquals(kube.code, 1);
  const since = place.nowMs;
  await place.pass(5);
  assertEquals(place.movers(since), [cloud.identity]);
  place.check();
  await place.end();
});

Deno.test("without an entry the mover runs under the program's own lease", async () => {
  const place = new Place();
  const kube = place.start(KUBE, undefined);
  await place.pass(10);
  const movers = place.acts.filter(isMover);
  assert(movers.length > 0);
  assertEquals(await place.holder(MIGRATION), "", "who runs nothing under it keeps it from nobody");
  assertEquals(movers.every(({ main }) => main === kube.identity), true);
  await place.end();
});

Deno.test("whatever starts, stops and is cut off, nobody acts without its lease", async () => {
  for (let seed = 1; seed <= 12; seed++) {
    let state = seed * 2654435761 % 2 ** 32;
    const next = (below: number) => (state = (state * 1664525 + 1013904223) % 2 ** 32) % below;
    const place = new Place();
    for (let step = 0; step < 15; step++) {
      const alive = place.runs.filter(({ code, stop }) => code === undefined && !stop.signal.aborted);
      const one = alive[next(Math.max(1, alive.length))];
      const what = next(5);
      if (!one || alive.length < 2 || what === 0 && alive.length < 4) {
        place.start(next(2) === 0 ? KUBE : CLOUD, ["*", "*", KUBE, CLOUD][next(4)]);
      } else if (what === 1) one.stop.abort();
      else if (what === 2) one.isCut = true;
      else one.isCut = false;
      await place.pass(1 + next(12));
    }
    place.check();
    assert(place.acts.some(isMover), `seed ${seed}`);
    await place.end();
  }
});
