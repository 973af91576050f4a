/** Authorities of the four signers, in files with names that are always the same: the flags of a recording must not change. */
import { runProgram } from "./run_program.ts";

const FOLDER = "/tmp/kubeloop-signing-authorities-2";

/** What openssl makes each signer's key from. One kind each: all must be good for Go. */
const KEYS = {
  "kubelet-serving": ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
  "kubelet-client": ["ecparam", "-name", "prime256v1", "-genkey", "-noout"],
  "kube-apiserver-client": ["ecparam", "-name", "secp384r1", "-genkey", "-noout"],
  "legacy-unknown": ["ecparam", "-name", "secp521r1", "-genkey", "-noout"],
} as const;

export type SignerFlag = keyof typeof KEYS;

const SIGNERS = Object.keys(KEYS) as SignerFlag[];

/** The path of a signer's certificate, or of its key. */
export function authorityFile(signer: SignerFlag, which: "crt" | "key"): string {
  return `${FOLDER}/${signer}.${which}`;
}

/** The flags that give each signer its own authority. */
export const SIGNING_FLAGS: readonly string[] = SIGNERS.flatMap((signer) => [
  `--cluster-signing-${signer}-cert-file=${authorityFile(signer, "crt")}`,
  `--cluster-signing-${signer}-key-file=${authorityFile(signer, "key")}`,
]);

/** Makes the authorities, unless somebody did. */
export async function makeSigningAuthorities(): Promise<void> {
  if (await exists(FOLDER)) return;
  const folder = await Deno.makeTempDir({ prefix: "kubeloop-signing-" });
  for (const signer of SIGNERS) await makeAuthority(`${folder}/${signer}`, { name: `${signer}-ca`, key: KEYS[signer] });
  await Deno.rename(folder, FOLDER).catch(async (error) => {
    await Deno.remove(folder, { recursive: true });
    if (!await exists(FOLDER)) throw error; // another test was quicker
  });
}

/** Makes an authority in the files `PATH.crt` and `PATH.key`. */
export async function makeAuthority(
  path: string,
  { name, key = KEYS["kubelet-client"], days = 36_500 }: {
    readonly name: string;
    readonly key?: readonly string[];
    readonly days?: number;
  },
): Promise<void> {
  await openssl([...key, "-out", `${path}.key`]);
  const subject = ["-subj", `/O=kubeloop/CN=${name}`, "-addext", "keyUsage=critical,keyCertSign,digitalSignature"];
  await openssl(["req", "-x509", "-new", "-key", `${path}.key`, "-out", `${path}.crt`, "-days", `${days}`, ...subject]);
}

/**
 * Runs openssl.
 *
 * @returns What it printed.
 * @throws {Error} If it fails, with what it said.
 */
export async function openssl(args: readonly string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await runProgram("openssl", { args, input });
  if (code !== 0) throw new Error(`openssl ${args.join(" ")}: ${stderr.trim()}`);
  return stdout;
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
