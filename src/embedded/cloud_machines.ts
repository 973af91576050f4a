import { type Node, NODES } from "../api/mod.ts";
import type { World } from "../base/mod.ts";
import type { InformerFactory } from "../cache/mod.ts";
import type { SimulatedCloud } from "../cloud/mod.ts";
import type { NodeMachines, NodeSimulator } from "../sandbox/mod.ts";

/**
 * The annotation with which a Node controls its machine in the simulated cloud.
 *
 * | value | effect |
 * |---|---|
 * | `stopped` | the machine is shut down, and its kubelet with it; it starts when the annotation is removed |
 * | `removed` | the machine is permanently removed |
 */
const MACHINE_ANNOTATION = "kubeloop.dev/machine";

/** The machines that simulated nodes run on. */
export function nodeMachines(cloud: SimulatedCloud): NodeMachines {
  return {
    add: ({ name, address }) => void cloud.addMachine({ name, internalAddress: address }),
    remove: (name) => {
      if (cloud.machine(name)) cloud.setMachine(name, "removed");
    },
  };
}

/**
 * Until `signal` aborts, makes simulated nodes follow their machines, and machines follow the annotations of Nodes.
 *
 * Contract:
 * 1. A machine that stops takes its kubelet with it; both start again together.
 * 2. Only a change of an annotation has an effect, or one that is there when the Node is first seen.
 */
export async function followMachines(
  { world, cloud, nodes, informers }: {
    readonly world: World;
    readonly cloud: SimulatedCloud;
    readonly nodes: NodeSimulator;
    readonly informers: InformerFactory;
  },
  signal: AbortSignal,
): Promise<void> {
  using _ = cloud.onMachine(({ name, state }) => {
    if (!nodes.nodeNames.includes(name)) return;
    if (state === "running") nodes.startNode(name);
    else if (state === "stopped") nodes.stopNode(name);
    else nodes.loseNode(name);
  });
  const follow = (node: Node, before?: Node) => {
    const name = node.metadata?.name ?? "";
    const wanted = annotationOf(node);
    if (wanted === annotationOf(before) || !isOn(cloud.machine(name)?.id, node)) return;
    if (wanted === "stopped" || wanted === "removed") cloud.setMachine(name, wanted);
    else if (wanted === undefined) cloud.setMachine(name, "running");
    else {
      world.log.warn("Annotation of a simulated node is ignored: its value is neither stopped nor removed", {
        annotation: MACHINE_ANNOTATION,
        value: wanted,
        node: name,
      });
    }
  };
  const informer = informers.informer(NODES);
  const registration = informer.addEventHandler({
    onAdd: (node) => follow(node),
    onUpdate: (old, node) => follow(node, old),
  });
  await new Promise<void>((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await informer.removeEventHandler(registration);
}

function annotationOf(node: Node | undefined): string | undefined {
  return node?.metadata?.annotations?.[MACHINE_ANNOTATION];
}

/** Whether a Node runs on the machine with that ID, or may do so because it names none. */
function isOn(id: string | undefined, { spec }: Node): boolean {
  return id !== undefined && (!spec?.providerID || spec.providerID === id);
}
