import { SIGNERS } from "./signers.ts";

const file = (
  { flag, configz, help = "Private key of that authority" }: { flag: string; configz: string; help?: string },
) => ({
  flag: `cluster-signing-${flag}-file`,
  type: "string" as const,
  default: "",
  help,
  configz: `CSRSigningController.${configz}File`,
});
const [SERVING, CLIENT] = ["KubeletServingSignerConfiguration", "KubeletClientSignerConfiguration"];
const [API_CLIENT, UNKNOWN] = ["KubeAPIServerClientSignerConfiguration", "LegacyUnknownSignerConfiguration"];
const of = (signer: string) => `Certificate of the authority for signer kubernetes.io/${signer}`;

/** The flags that name files. */
export const FILES = {
  cert: file({
    flag: "cert",
    configz: "ClusterSigningCert",
    help: "Certificate of the authority for all signers; excludes the flags for single signers",
  }),
  key: file({ flag: "key", configz: "ClusterSigningKey", help: "Private key for --cluster-signing-cert-file" }),
  kubeletServingCert: file({
    flag: "kubelet-serving-cert",
    configz: `${SERVING}.Cert`,
    help: of("kubelet-serving"),
  }),
  kubeletServingKey: file({ flag: "kubelet-serving-key", configz: `${SERVING}.Key` }),
  kubeletClientCert: file({
    flag: "kubelet-client-cert",
    configz: `${CLIENT}.Cert`,
    help: of("kube-apiserver-client-kubelet"),
  }),
  kubeletClientKey: file({ flag: "kubelet-client-key", configz: `${CLIENT}.Key` }),
  apiServerClientCert: file({
    flag: "kube-apiserver-client-cert",
    configz: `${API_CLIENT}.Cert`,
    help: of("kube-apiserver-client"),
  }),
  apiServerClientKey: file({ flag: "kube-apiserver-client-key", configz: `${API_CLIENT}.Key` }),
  legacyUnknownCert: file({ flag: "legacy-unknown-cert", configz: `${UNKNOWN}.Cert`, help: of("legacy-unknown") }),
  legacyUnknownKey: file({ flag: "legacy-unknown-key", configz: `${UNKNOWN}.Key` }),
};

/** The paths of all files; empty if there is none. */
export type Paths = Readonly<Record<keyof typeof FILES, string>>;

/** The options that name the pair of one signer. */
const PAIRS = {
  "kubelet-serving": { cert: "kubeletServingCert", key: "kubeletServingKey" },
  "kubelet-client": { cert: "kubeletClientCert", key: "kubeletClientKey" },
  "kube-apiserver-client": { cert: "apiServerClientCert", key: "apiServerClientKey" },
  "legacy-unknown": { cert: "legacyUnknownCert", key: "legacyUnknownKey" },
} as const;

/** The files of one signer, or of all of them. */
interface Pair {
  readonly cert: keyof typeof FILES;
  readonly key: keyof typeof FILES;
}

const CLUSTER_PAIR: Pair = { cert: "cert", key: "key" };

export const CERT_FLAGS = [CLUSTER_PAIR, ...Object.values(PAIRS)].map(({ cert }) => FILES[cert].flag);
export const KEY_FLAGS = [CLUSTER_PAIR, ...Object.values(PAIRS)].map(({ key }) => FILES[key].flag);

/** Each signer with its pair, if it has one; `undefined` if no pair was given. */
export function pairsOf(
  paths: Paths,
): readonly { readonly signer: typeof SIGNERS[number]; readonly pair?: Pair }[] | undefined {
  const isSpecific = hasSpecific(paths);
  if (!isSpecific && (paths.cert === "" || paths.key === "")) return undefined;
  return SIGNERS.map((signer) => {
    if (!isSpecific) return { signer, pair: CLUSTER_PAIR };
    const pair: Pair = PAIRS[signer.flag];
    return paths[pair.cert] === "" && paths[pair.key] === "" ? { signer } : { signer, pair };
  });
}

/** Certificate and key come together, for the whole cluster or for single signers. */
export function objections(paths: Paths): string[] {
  const found = SIGNERS.flatMap(({ label, flag }) => {
    const [cert, key] = [paths[PAIRS[flag].cert], paths[PAIRS[flag].key]];
    if ((cert === "") === (key === "")) return [];
    const [given, missing] = cert === "" ? ["key", "cert"] : ["cert", "key"];
    return [
      `"${label}": cannot specify ${given} without ${missing}: --cluster-signing-${flag}-${missing}-file is not set`,
    ];
  });
  if (hasSpecific(paths) && (paths.cert !== "" || paths.key !== "")) {
    found.push(
      "cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags at the same time",
    );
  }
  return found;
}

function hasSpecific(paths: Paths): boolean {
  return Object.values(PAIRS).some(({ cert, key }) => paths[cert] !== "" || paths[key] !== "");
}
