import type { CSIDriver, Node, PersistentVolume, PersistentVolumeClaim, Pod, VolumeAttachment } from "../../api/mod.ts";
import { TurnBudget } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import { ItemExponentialLimiter, WorkQueue } from "../../workqueue/mod.ts";
import type { ControllerContext } from "../running/mod.ts";
import {
  CSI_PLUGIN,
  FC_PLUGIN,
  ISCSI_PLUGIN,
  NestedOperations,
  type VolumePlugin,
  VolumePlugins,
  type VolumeSpec,
} from "../volumes/mod.ts";
import { writeVolumesAttached } from "./actions.ts";
import { ActualState } from "./actual_state.ts";
import { csiAttacher, INSTANT_ATTACHER } from "./attachers.ts";
import { AttachmentWatch } from "./attachment_watch.ts";
import { type AttachContext, attachmentKey, type AttachOptions } from "./context.ts";
import { DesiredState } from "./desired_state.ts";
import { FlexVolumes } from "./flex_volumes.ts";
import { AttachMetrics, pluginLabel } from "./metrics.ts";
import { NodeReports } from "./node_reports.ts";
import type { WantingContext } from "./pod_volumes.ts";

const BUILT_IN: readonly VolumePlugin[] = [FC_PLUGIN, ISCSI_PLUGIN, CSI_PLUGIN];

/** A failed status write is retried soon, because nothing is detached or mounted before. */
const RETRIES = { baseMs: 100, maxMs: 1000 };

/** Options for assembling the controller. */
export interface AssemblyOptions {
  readonly context: ControllerContext;
  readonly options: AttachOptions;
  /** Of its client, and of what its events carry. */
  readonly name: string;
  /** Ends background operations. */
  readonly signal: AbortSignal;
  readonly listers: {
    readonly podLister: Pick<Lister<Pod>, "get">;
    readonly nodes: Pick<Lister<Node>, "get">;
    readonly claims: Pick<Lister<PersistentVolumeClaim>, "get">;
    readonly volumes: Pick<Lister<PersistentVolume>, "get">;
    readonly drivers: Pick<Lister<CSIDriver>, "get">;
    readonly attachments: Pick<Lister<VolumeAttachment>, "get">;
  };
}

/** The connected parts of the controller. */
export interface Assembly {
  readonly working: AttachContext & WantingContext;
  readonly watch: AttachmentWatch;
  readonly flexVolumes: FlexVolumes;
  readonly budget: TurnBudget;
  /** Has the keys of {@link attachmentKey}. */
  readonly queue: WorkQueue;
  /** Holds the names of nodes whose status must be written. */
  readonly nodeQueue: WorkQueue;
  /** Has the keys of claims. */
  readonly claimQueue: WorkQueue;
}

export function assemble({ context, options, name, signal, listers }: AssemblyOptions): Assembly {
  const { world, metrics } = context;
  const { clock } = world;
  const limiter = new ItemExponentialLimiter(RETRIES);
  const queue = new WorkQueue({ world, name: "attachdetach_volumes", metrics, limiter });
  const nodeLimiter = new ItemExponentialLimiter(RETRIES);
  const nodeQueue = new WorkQueue({ world, name: "attachdetach_nodes", metrics, limiter: nodeLimiter });
  const claimQueue = new WorkQueue({ world, name: "pvcs", metrics });
  const lookAt = (volume: string, node: string) => queue.add(attachmentKey(volume, node));

  const client = context.clients.client(name);
  const writing = { client, signal };
  const flexVolumes = new FlexVolumes(context.drivers, signal);
  const plugins = new VolumePlugins(() => [...BUILT_IN, ...flexVolumes.plugins]);
  const measuring = new AttachMetrics(metrics, clock);
  const count = (state: Parameters<AttachMetrics["count"]>[0]) => (spec: VolumeSpec, by: number) =>
    measuring.count(state, labelOf(spec, plugins), by);
  const desired = new DesiredState({ onChange: lookAt, onCount: count("desired_state_of_world") });
  const reports = new NodeReports({
    clock,
    nodes: listers.nodes,
    devicePathOf: (volume) => actual.get(volume)?.devicePath ?? "",
    write: (node, attached) => writeVolumesAttached(node, attached, writing),
    onStale: (node, delayMs) => nodeQueue.addAfter(node, delayMs),
  });
  const actual: ActualState = new ActualState({
    onChange: lookAt,
    onAttached: (volume, node, isAttached) => isAttached ? reports.add(volume, node) : reports.remove(volume, node),
    onCount: count("actual_state_of_world"),
  });
  const watch = new AttachmentWatch(clock, listers.attachments);
  const csi = csiAttacher({ ...writing, attachments: listers.attachments, drivers: listers.drivers, watch });
  const working: AttachContext & WantingContext = {
    ...writing,
    world,
    options,
    queue,
    desired,
    actual,
    reports,
    plugins,
    ...listers,
    recorder: context.recorder(name),
    operations: new NestedOperations({ clock, onEnd: ({ volume, node }) => lookAt(volume, node) }),
    metrics: measuring,
    attacherOf: (plugin) => {
      if (plugin === CSI_PLUGIN) return csi;
      return BUILT_IN.includes(plugin) ? INSTANT_ATTACHER : flexVolumes.attacherOf(plugin);
    },
  };
  return { working, watch, flexVolumes, budget: new TurnBudget(clock), queue, nodeQueue, claimQueue };
}

/** The plug-in of a volume, as metrics name it. */
function labelOf(spec: VolumeSpec, plugins: VolumePlugins): string {
  try {
    return pluginLabel(plugins.bySpec(spec), spec);
  } catch {
    return "N/A";
  }
}
