/** Controller managers under test: upstream's and ours, started with the same flags. */
import { fromFileUrl, join } from "@std/path";
import { PERMISSIONS, V8_FLAGS } from "../../.ci/release/runtime_flags.ts";
import type { Lease } from "../../src/api/mod.ts";
import { isBuilt } from "../../src/controllers/registry.ts";
import { KUBE_CONTROLLER_MANAGER } from "../../src/manager/kube_component.ts";
import type { ControlPlane } from "./control_plane.ts";
import { cloudJudge } from "./cloud_judge.ts";
import { cloudFlags, kubeadmFlags } from "./kubeadm_flags.ts";
import { eventually, freePort, Process } from "./process.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

export type ManagerKind = "upstream" | "kubeloop";

/** Which of the two programs it is. */
export type Component = "kube-controller-manager" | "cloud-controller-manager";

export interface ManagerOptions {
  /** Default: kube-controller-manager. */
  readonly component?: Component;
  /** Instead of kubeadm's flags of the same names; `--controllers` adds to its own. */
  readonly flags?: readonly string[];
  /** The only controllers that run, unless `flags` add some; by default all that both managers have. */
  readonly controllers?: string;
  /** Default: the administrator's. */
  readonly kubeconfig?: string;
  /** Which kubeloop it is, see {@link kubeloopCommand}. */
  readonly program?: string;
  /** Wait until it leads; default true. */
  readonly waitForLease?: boolean;
}

/** Controllers that kube-controller-manager knows and does not run: in comparisons nobody asks for them. */
export const MISSING_CONTROLLERS: readonly string[] = KUBE_CONTROLLER_MANAGER.controllers
  .filter((row) => !isBuilt(row)).map(({ name }) => name);

/** Enough for Deployments, for tests whose subject is not what controllers do. */
export const FIRST_SIX = [
  "deployment-controller",
  "replicaset-controller",
  "garbage-collector-controller",
  "namespace-controller",
  "serviceaccount-controller",
  "root-ca-certificate-publisher-controller",
].join(",");

/** For nodes that nobody speaks for, and that are to stay as they are. */
export const PATIENT_WITH_NODES = ["--node-monitor-grace-period=1h", "--node-startup-grace-period=1h"];

/** For pods of nodes that do not exist, which are to stay. */
export const WITHOUT_POD_COLLECTION = "--controllers=-pod-garbage-collector-controller";

/** A value of `--controller-groups` that makes three groups of them: `workloads`, `garbage` and `rest`. */
export const THREE_GROUPS = "workloads=deployment-controller;replicaset-controller," +
  "garbage=garbage-collector-controller;namespace-controller";

/** The executable to test; the sources where this is not set. */
export const EXECUTABLE = Deno.env.get("KUBELOOP_EXECUTABLE") ?? "";

/** What `.ci/release/stage_program.ts` made of the sources, instead of them: it starts in half of the time. */
const BUNDLE = Deno.env.get("KUBELOOP_BUNDLE") ?? "";

/** More flags for the managers of every test, such as `--controller-groups=auto`, but for those that a test gives itself. */
const MORE_FLAGS = Deno.env.get("KUBELOOP_FLAGS")?.split(" ") ?? [];
const CONTROLLERS = "--controllers";
const SIGNING = "--cluster-signing-";
/** Flags that upstream's manager does not know. */
const OWN_FLAGS = ["--controller-groups"];

/** Permissions of the executable; it does without `--allow-all`. */
export const KUBELOOP_PERMISSIONS: readonly string[] = Object.keys(PERMISSIONS);

/**
 * How kubeloop is run with `args`: as `program`, or from sources with the executable's flags.
 *
 * @param program An executable, a checkout, or a bundle's `main.js`; by default `$KUBELOOP_EXECUTABLE`, `$KUBELOOP_BUNDLE`, or these sources.
 */
export function kubeloopCommand(
  args: readonly string[],
  program = EXECUTABLE || BUNDLE || ROOT,
): { readonly program: string; readonly args: string[] } {
  const { isDirectory } = Deno.statSync(program);
  if (!isDirectory && !program.endsWith(".js")) return { program, args: [...args] };
  const entry = isDirectory ? join(program, "main.ts") : program;
  return { program: Deno.execPath(), args: ["run", V8_FLAGS, ...KUBELOOP_PERMISSIONS, entry, ...args] };
}

/** Starts kubeloop with `args`, see {@link kubeloopCommand}; it ends with the control plane at the latest. */
export function startKubeloop(plane: ControlPlane, args: readonly string[], program?: string): Process {
  const command = kubeloopCommand(args, program);
  return plane.adopt(new Process("kubeloop", command.program, { args: command.args }));
}

export interface Manager {
  readonly process: Process;
  readonly kind: ManagerKind;
  readonly healthzUrl: string;
}

/** Starts a manager on `plane`; it ends with the control plane at the latest. */
export async function startManager(
  plane: ControlPlane,
  kind: ManagerKind,
  options: ManagerOptions = {},
): Promise<Manager> {
  const {
    component = "kube-controller-manager",
    flags = [],
    controllers,
    kubeconfig = plane.kubeconfig,
    program,
    waitForLease = true,
  } = options;
  const isCloud = component === "cloud-controller-manager";
  const port = freePort();
  const more = MORE_FLAGS.filter((more) => !give(flags, more) && (kind === "kubeloop" || !give(OWN_FLAGS, more)));
  const own = [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    "--kube-api-qps=2000",
    "--kube-api-burst=4000",
    ...flags,
    ...more,
  ];
  const usual = (await (isCloud ? cloudFlags : kubeadmFlags)(plane, port)).filter((flag) => !isReplaced(flag, own));
  const args = [...withControllers(usual, controllers), ...own, ...isCloud ? [] : withoutMissing(controllers)];
  const before = waitForLease ? await leaseHolder(plane, component) : "";
  const process = kind === "upstream"
    ? await startUpstream(plane, component, [...args, "--kube-api-content-type=application/vnd.kubernetes.protobuf"])
    : startKubeloop(plane, [component, ...args], program);
  if (waitForLease) {
    await eventually(`${kind} leads`, async () => {
      if (process.exit) throw new Error(`${kind} ended with ${process.exit.code}: ${process.output.slice(-3000)}`);
      const holder = await leaseHolder(plane, component);
      return holder !== "" && holder !== before;
    });
  }
  return { process, kind, healthzUrl: `https://127.0.0.1:${port}/healthz` };
}

async function startUpstream(plane: ControlPlane, component: Component, args: readonly string[]): Promise<Process> {
  if (component === "kube-controller-manager") return plane.run(component, args, { name: "upstream" });
  return plane.adopt(new Process("upstream", await cloudJudge(), { args: [...args] }));
}

/** kubeadm's flags, with `only` these controllers where they are given. */
function withControllers(kubeadm: readonly string[], only: string | undefined): readonly string[] {
  if (only === undefined) return kubeadm;
  return [...kubeadm.filter((flag) => !give([CONTROLLERS], flag)), `${CONTROLLERS}=${only}`];
}

/** Behind all others: what a test asks for by its name does run. */
function withoutMissing(only: string | undefined): string[] {
  if (only !== undefined || MISSING_CONTROLLERS.length === 0) return [];
  return [`${CONTROLLERS}=${MISSING_CONTROLLERS.map((name) => `-${name}`)}`];
}

/** Whether a test's `flags` stand instead of one of kubeadm's; an authority for all signers does not go with one for each. */
function isReplaced(kubeadm: string, flags: readonly string[]): boolean {
  if (kubeadm.startsWith(SIGNING)) return flags.some((flag) => flag.startsWith(SIGNING));
  return !give([CONTROLLERS], kubeadm) && give(flags, kubeadm);
}

/** Whether `flags` give what `flag` gives. */
function give(flags: readonly string[], flag: string): boolean {
  const [name] = flag.split("=");
  return flags.some((other) => other.split("=")[0] === name);
}

function leasePath(component: Component): string {
  return `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${component}`;
}

/** Who holds the manager's lease; empty when nobody does. */
export async function leaseHolder(
  plane: ControlPlane,
  component: Component = "kube-controller-manager",
): Promise<string> {
  const lease = await plane.ask(leasePath(component));
  return lease === undefined ? "" : (JSON.parse(lease) as Lease).spec?.holderIdentity ?? "";
}

/** Forgets the lease, so that the next manager need not wait for a killed one's. */
export async function dropLease(plane: ControlPlane, component: Component = "kube-controller-manager"): Promise<void> {
  await plane.ask(leasePath(component), "DELETE");
}
