/** Clusters in which tests set the wall clock. */
import { EVENTS } from "kubeloop/api";
import { type TestCluster, withTestCluster } from "kubeloop/testing";
import type { Kit } from "../scenarios/kit.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export interface Stage {
  readonly cluster: TestCluster;
  readonly kit: Kit;
  /** Sets the wall clock of the whole cluster forward, or back where it is negative; no time passes. */
  readonly jump: (ms: number) => void;
}

export interface StageOptions {
  /** What `--controllers` says. */
  readonly controllers: string;
  /** Default 1. */
  readonly nodes?: number;
}

/** A test in which the wall clock jumps. It begins half a minute after midnight. */
export function clockTest(
  name: string,
  { controllers, nodes = 1 }: StageOptions,
  play: (stage: Stage) => Promise<void>,
): void {
  const flags = [`--controllers=${controllers}`, "--leader-elect=false"];
  Deno.test(
    name,
    () =>
      withTestCluster({ nodes, flags, startsAt: new Date("2026-01-01T00:00:30Z") }, async (cluster) => {
        const namespace = await cluster.namespace("jumps");
        const kit = kitOf(cluster, namespace);
        await play({ cluster, kit, jump: (ms) => cluster.world.clock.jumpWall(ms) });
      }),
  );
}

/** The messages of the events with this reason. */
export async function eventsOf(kit: Kit, reason: string): Promise<string[]> {
  return (await kit.list(EVENTS)).filter((event) => event.reason === reason).map(({ message }) => message ?? "");
}
