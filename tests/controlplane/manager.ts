/** Controller managers under test: upstream's and ours, started with the same flags. */
import { fromFileUrl } from "@std/path";
import { PERMISSIONS, V8_FLAGS } from "../../.ci/release/runtime_flags.ts";
import type { Lease } from "../../src/api/mod.ts";
import type { ControlPlane } from "./control_plane.ts";
import { eventually, freePort, Process } from "./process.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

export type ManagerKind = "upstream" | "kubeloop";

export interface ManagerOptions {
  readonly flags?: readonly string[];
  /** What `--controllers` says, unless `flags` add to it; default {@link FIRST_SIX}. */
  readonly controllers?: string;
  /** Default: the administrator's. */
  readonly kubeconfig?: string;
  /** Wait until it leads; default true. */
  readonly waitForLease?: boolean;
}

/** The controllers that both managers run in comparisons. */
export const FIRST_SIX = [
  "deployment-controller",
  "replicaset-controller",
  "garbage-collector-controller",
  "namespace-controller",
  "serviceaccount-controller",
  "root-ca-certificate-publisher-controller",
].join(",");

/** A value of `--controller-groups` that makes three groups of them: `workloads`, `garbage` and `rest`. */
export const THREE_GROUPS = "workloads=deployment-controller;replicaset-controller," +
  "garbage=garbage-collector-controller;namespace-controller";

/** The executable to test; the sources where this is not set. */
export const EXECUTABLE = Deno.env.get("KUBELOOP_EXECUTABLE") ?? "";

/** More flags for the managers of every test, such as `--controller-groups=auto`, but for those that a test gives itself. */
const MORE_FLAGS = Deno.env.get("KUBELOOP_FLAGS")?.split(" ") ?? [];
/** Flags that upstream's manager does not know. */
const OWN_FLAGS = ["--controller-groups"];

/** Permissions of the executable; it does without `--allow-all`. */
export const KUBELOOP_PERMISSIONS: readonly string[] = Object.keys(PERMISSIONS);

/** How kubeloop is run with `args`: as `$KUBELOOP_EXECUTABLE`, or from its sources with the executable's flags. */
export function kubeloopCommand(args: readonly string[]): { readonly program: string; readonly args: string[] } {
  if (EXECUTABLE !== "") return { program: EXECUTABLE, args: [...args] };
  return { program: Deno.execPath(), args: ["run", V8_FLAGS, ...KUBELOOP_PERMISSIONS, `${ROOT}main.ts`, ...args] };
}

/** Starts kubeloop with `args`; it ends with the control plane at the latest. */
export function startKubeloop(plane: ControlPlane, args: readonly string[]): Process {
  const command = kubeloopCommand(args);
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
  { flags = [], controllers = FIRST_SIX, kubeconfig = plane.kubeconfig, waitForLease = true }: ManagerOptions = {},
): Promise<Manager> {
  const port = freePort();
  const args = [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    `--secure-port=${port}`,
    "--bind-address=127.0.0.1",
    `--root-ca-file=${plane.rootCaFile}`,
    `--service-account-private-key-file=${plane.serviceAccountKeyFile}`,
    `--controllers=${controllers}`,
    "--kube-api-qps=2000",
    "--kube-api-burst=4000",
    ...flags,
    ...MORE_FLAGS.filter((more) => !give(flags, more) && (kind === "kubeloop" || !give(OWN_FLAGS, more))),
  ];
  const before = waitForLease ? await leaseHolder(plane) : "";
  const process = kind === "upstream"
    ? plane.run("kube-controller-manager", [...args, "--kube-api-content-type=application/vnd.kubernetes.protobuf"], {
      name: "upstream",
    })
    : startKubeloop(plane, ["kube-controller-manager", ...args]);
  if (waitForLease) {
    await eventually(`${kind} leads`, async () => {
      if (process.exit) throw new Error(`${kind} ended with ${process.exit.code}: ${process.output.slice(-3000)}`);
      const holder = await leaseHolder(plane);
      return holder !== "" && holder !== before;
    });
  }
  return { process, kind, healthzUrl: `https://127.0.0.1:${port}/healthz` };
}

/** Whether `flags` give what `flag` gives. */
function give(flags: readonly string[], flag: string): boolean {
  const [name] = flag.split("=");
  return flags.some((other) => other.split("=")[0] === name);
}

const LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager";

/** Who holds the manager's lease; empty when nobody does. */
export async function leaseHolder(plane: ControlPlane): Promise<string> {
  const lease = await plane.ask(LEASE);
  return lease === undefined ? "" : (JSON.parse(lease) as Lease).spec?.holderIdentity ?? "";
}

/** Forgets the lease, so that the next manager need not wait for a killed one's. */
export async function dropLease(plane: ControlPlane): Promise<void> {
  await plane.ask(LEASE, "DELETE");
}
