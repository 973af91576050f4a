/** FlexVolume drivers: a shell script that does as it is told by files, and writes down what it was asked. */
import { CONFIGMAPS } from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";
import { clusterName } from "./volume_kit.ts";

/** What it attaches is a file for each volume and node; what is in `VOLUME.COMMAND` it says instead, with that exit code. */
const SCRIPT = `#!/bin/sh
state="$(dirname "$0")/../../state"
case "$0:$1" in
  *~broken/*:init) echo "no such luck"; exit 1 ;;
  *~plain/*:init) echo '{"status":"Success","capabilities":{"attach":false}}'; exit ;;
  *:init) echo '{"status":"Success"}'; exit ;;
  *~fewer/*) echo '{"status":"Not supported"}' >&2; exit 1 ;;
esac
case "$1" in
  attach|isattached) volume=$(printf %s "$2" | sed 's/.*"kubernetes.io\\/pvOrVolumeName":"\\([^"]*\\)".*/\\1/') ;;
  detach) volume=$2 ;;
  *) echo '{"status":"Not supported"}'; exit 1 ;;
esac
[ "$1" = isattached ] || printf '%s %s %s\\n' "$1" "$2" "$3" >> "$state/$volume.log"
if [ -e "$state/$volume.$1" ]; then
  cat "$state/$volume.$1"
  exit "$(cat "$state/$volume.$1.code")"
fi
case "$1" in
  attach) touch "$state/$volume.on.$3"; printf '{"status":"Success","device":"/dev/%s"}' "$volume" ;;
  detach) rm -f "$state/$volume.on.$3"; echo '{"status":"Success"}' ;;
  isattached)
    if [ -e "$state/$volume.on.$3" ]; then attached=true; else attached=false; fi
    echo "{\\"status\\":\\"Success\\",\\"attached\\":$attached}" ;;
esac
`;

/** The folders of drivers and of what they know. */
export class FlexDrivers {
  readonly folder: string;
  readonly #state: string;

  constructor(parent: string) {
    this.folder = `${parent}/exec`;
    this.#state = `${parent}/state`;
    Deno.mkdirSync(this.#state, { recursive: true });
  }

  /** Puts a driver into its place at once, as installers do. */
  install(vendor: string, name: string): void {
    const folder = `${this.folder}/${vendor}~${name}`;
    Deno.mkdirSync(folder, { recursive: true });
    Deno.writeTextFileSync(`${folder}/.${name}`, SCRIPT, { mode: 0o755 });
    Deno.renameSync(`${folder}/.${name}`, `${folder}/${name}`);
  }

  /** Has a driver say this of a volume, by its name here, whenever it is called with `command`. */
  letSay(kit: Kit, volume: string, command: string, { text, code }: { text: string; code: number }): void {
    const path = `${this.#state}/${clusterName(kit, volume)}.${command}`;
    Deno.writeTextFileSync(`${path}.code`, String(code));
    Deno.writeTextFileSync(path, text);
  }

  /** Has a driver do as it is asked again. */
  letWork(kit: Kit, volume: string, command: string): void {
    Deno.removeSync(`${this.#state}/${clusterName(kit, volume)}.${command}`);
  }

  /** Takes a volume away from a node, behind the manager's back. */
  lose(kit: Kit, { volume, node }: { readonly volume: string; readonly node: string }): void {
    Deno.removeSync(`${this.#state}/${clusterName(kit, volume)}.on.${clusterName(kit, node)}`);
  }

  /** What drivers were asked to do with a volume, each once. */
  asked(volume: string): string[] {
    try {
      return [...new Set(Deno.readTextFileSync(`${this.#state}/${volume}.log`).trimEnd().split("\n"))];
    } catch {
      return [];
    }
  }

  async untilAsked(kit: Kit, volume: string, command: string, times = 1): Promise<void> {
    const all = () => {
      try {
        return Deno.readTextFileSync(`${this.#state}/${clusterName(kit, volume)}.log`).split("\n");
      } catch {
        return [];
      }
    };
    await kit.untilAll(
      CONFIGMAPS,
      `a driver is asked to ${command} ${volume}`,
      () => all().filter((line) => line.startsWith(`${command} `)).length >= times,
    );
  }

  /** Writes down in the namespace what drivers were asked to do, in order. */
  async note(kit: Kit, volumes: readonly string[]): Promise<void> {
    const plain = (text: string) => text.replaceAll(kit.namespace, "<scenario>");
    const data = Object.fromEntries(
      volumes.map((volume) => [volume, this.asked(clusterName(kit, volume)).map(plain).join("\n")]),
    );
    await kit.create(CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "asked-of-drivers" }, data });
  }
}
