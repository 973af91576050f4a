/** Where ours does on purpose what the vendor's manager does not. */
import { assert, assertEquals } from "@std/assert";
import type { Thing } from "../../emulators/hcloud/state.ts";
import type { HcloudBed } from "./bed.ts";
import type { Outcome } from "./outcome.ts";
import type { HcloudScenario } from "./scenarios.ts";

export interface HcloudDeparture extends HcloudScenario {
  readonly reason: string;
  /** Sees in what was recorded that the vendor's does otherwise. */
  theirs(outcome: Outcome): void;
  ours(outcome: Outcome): void;
}

const FAILED = "Warning SyncLoadBalancerFailed Service/web";

/** Waits until it is known what becomes of the Service. */
async function decided(bed: HcloudBed): Promise<void> {
  await bed.until("the Service has an address, or a reason why not", async () => {
    const [{ status }] = await bed.services();
    return Boolean(status?.loadBalancer?.ingress?.length) ||
      (await bed.events()).some(({ reason }) => reason === "SyncLoadBalancerFailed");
  });
}

function balancers({ resources }: Outcome): readonly Thing[] {
  return resources.filter(({ kind }) => kind === "load_balancer");
}

function writes({ calls }: Outcome): readonly string[] {
  return calls.filter((call) => !call.startsWith("GET "));
}

function addressesOf({ objects }: Outcome): unknown {
  return (objects as Thing[]).find(({ kind }) => kind === "Service")!.status.loadBalancer.ingress;
}

async function machine(bed: HcloudBed): Promise<void> {
  await bed.machine("node-1", 1);
}

function refused(name: string, annotations: Record<string, string>): HcloudDeparture {
  return {
    name,
    reason: "what an annotation gets wrong is refused before anything is made that costs money and serves nothing",
    before: machine,
    then: async (bed) => {
      await bed.service("web", annotations);
      await decided(bed);
    },
    theirs: (outcome) => {
      assertEquals(balancers(outcome).map(({ services }) => services), [[]], "it is there, and serves nothing");
      assert(outcome.events.includes(FAILED));
    },
    ours: (outcome) => {
      assertEquals([balancers(outcome), writes(outcome), addressesOf(outcome)], [[], [], undefined]);
      assert(outcome.events.includes(FAILED));
    },
  };
}

export const HCLOUD_DEPARTURES: readonly HcloudDeparture[] = [
  {
    name: "a balancer that carries another Service's label is asked for by its name",
    reason: "it is the other's: taken over, both would write it in turns, and the other would lose its address",
    before: async (bed) => {
      bed.project.addBalancer("front", { id: 90, labels: { "hcloud-ccm/service-uid": "another" } });
      await machine(bed);
    },
    then: async (bed) => {
      await bed.service("web", { name: "front" });
      await decided(bed);
    },
    theirs: (outcome) => {
      const [{ labels, services }] = balancers(outcome);
      assertEquals([labels["hcloud-ccm/service-uid"], services.length], ["UID-web", 1], "it is taken over");
      assert(addressesOf(outcome));
    },
    ours: (outcome) => {
      const [{ labels, services }] = balancers(outcome);
      assertEquals([labels["hcloud-ccm/service-uid"], services], ["another", []]);
      assertEquals([writes(outcome), addressesOf(outcome)], [[], undefined]);
      assert(outcome.events.includes(FAILED));
    },
  },
  refused("a health check's interval is no duration", { "health-check-interval": "often" }),
  refused("a health check's port is no number", { "health-check-port": "http" }),
  refused("a protocol is none", { protocol: "gopher" }),
];
