import { defineController } from "../running/mod.ts";

/** The pairs of files of each signer, by what upstream calls the signer in errors. */
const SIGNERS: readonly (readonly [name: string, flag: string, files: readonly [Files, Files]])[] = [
  ["cluster-signing-kubelet-serving", "kubelet-serving", ["kubeletServingCert", "kubeletServingKey"]],
  ["cluster-signing-kube-apiserver-client", "kubelet-client", ["kubeletClientCert", "kubeletClientKey"]],
  ["cluster-signing-kube-apiserver", "kube-apiserver-client", ["apiServerClientCert", "apiServerClientKey"]],
  ["cluster-signing-legacy-unknown", "legacy-unknown", ["legacyUnknownCert", "legacyUnknownKey"]],
];

type Files = Exclude<keyof typeof FILES, "cert" | "key">;

const file = ({ flag, configz, help = "Its key" }: { flag: string; configz: string; help?: string }) => ({
  flag: `cluster-signing-${flag}-file`,
  type: "string" as const,
  default: "",
  help,
  configz: `CSRSigningController.${configz}File`,
});
const [SERVING, CLIENT] = ["KubeletServingSignerConfiguration", "KubeletClientSignerConfiguration"];
const [API_CLIENT, UNKNOWN] = ["KubeAPIServerClientSignerConfiguration", "LegacyUnknownSignerConfiguration"];
const of = (signer: string) => `Authority for signer kubernetes.io/${signer}`;

const FILES = {
  cert: file({
    flag: "cert",
    configz: "ClusterSigningCert",
    help: "Authority that signs certificates for the whole cluster",
  }),
  key: file({ flag: "key", configz: "ClusterSigningKey", help: "Key of --cluster-signing-cert-file" }),
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

/** Signs approved CertificateSigningRequests. Not implemented yet. Upstream: `pkg/controller/certificates/signer`. */
export const CERTIFICATE_SIGNING_CONTROLLER = defineController({
  name: "certificatesigningrequest-signing-controller",
  aliases: ["csrsigning"],
  clientName: "certificate-controller",
  options: {
    ...FILES,
    durationMs: {
      flag: "cluster-signing-duration",
      type: "duration",
      default: "8760h0m0s",
      help: "Longest life of a signed certificate",
      configz: "CSRSigningController.ClusterSigningDuration",
    },
  },
  objections,
});

/** Certificate and key come together, for the whole cluster or for single signers. */
function objections(options: Readonly<Record<keyof typeof FILES, string>>): string[] {
  const found = SIGNERS.flatMap(([name, flag, files]) => {
    const [cert, key] = files.map((file) => options[file]);
    if ((cert === "") === (key === "")) return [];
    const [given, missing] = cert === "" ? ["key", "cert"] : ["cert", "key"];
    return [
      `"${name}": cannot specify ${given} without ${missing}: --cluster-signing-${flag}-${missing}-file is not set`,
    ];
  });
  const isSpecific = SIGNERS.some(([, , files]) => files.some((file) => options[file] !== ""));
  if (isSpecific && (options.cert !== "" || options.key !== "")) {
    found.push(
      "cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags at the same time",
    );
  }
  return found;
}
