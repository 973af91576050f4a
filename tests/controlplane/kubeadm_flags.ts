import type { ControlPlane } from "./control_plane.ts";
import { Authority } from "./pki.ts";
import { servingFlags } from "./serving.ts";

/** Those that name files which are written once for a control plane, so that no manager reads half of one. */
const flagsOfFiles = new WeakMap<ControlPlane, Promise<readonly string[]>>();

async function writeFiles(plane: ControlPlane): Promise<readonly string[]> {
  const path = `${plane.folder}/front-proxy-ca.crt`;
  await Deno.writeTextFile(path, (await Authority.create("front-proxy-ca")).cert);
  return [`--requestheader-client-ca-file=${path}`, ...await servingFlags(plane)];
}

/**
 * The command line that kubeadm writes, for this control plane, and a certificate that others know.
 *
 * @param port Its own may be taken here.
 */
export async function kubeadmFlags(plane: ControlPlane, port: number): Promise<string[]> {
  const { kubeconfig, rootCaFile } = plane;
  const files = flagsOfFiles.get(plane) ?? writeFiles(plane);
  flagsOfFiles.set(plane, files);
  return [
    "--allocate-node-cidrs=true",
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    "--bind-address=127.0.0.1",
    `--client-ca-file=${rootCaFile}`,
    "--cluster-cidr=10.244.0.0/16",
    "--cluster-name=kubernetes",
    `--cluster-signing-cert-file=${rootCaFile}`,
    `--cluster-signing-key-file=${plane.rootCaKeyFile}`,
    "--controllers=*,bootstrapsigner,tokencleaner",
    `--kubeconfig=${kubeconfig}`,
    "--leader-elect=true",
    `--root-ca-file=${rootCaFile}`,
    `--service-account-private-key-file=${plane.serviceAccountKeyFile}`,
    "--service-cluster-ip-range=10.0.0.0/16",
    "--use-service-account-credentials=true",
    `--secure-port=${port}`,
    ...await files,
  ];
}

/** What a cloud's manager is usually started with, for this control plane, but for the cloud. */
export async function cloudFlags(plane: ControlPlane, port: number): Promise<string[]> {
  const flags = await kubeadmFlags(plane, port);
  const kept = flags.filter((flag) =>
    !/^--(?:allocate|cluster-signing|controllers|root-ca|service-account|service-cluster)/.test(flag)
  );
  return [...kept, "--node-monitor-period=1s", "--route-reconciliation-period=1s"];
}
