import type { Node, ObjectReference, Service } from "../../api/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { CloudStart } from "../provider.ts";
import { shown } from "./answers.ts";

/** The component in the vendor's events. */
const COMPONENT = "hcloud-cloud-controller-manager";
/** The client whose account may write events. */
const CLIENT = "service-controller";

/** Records events about what the cloud cannot do for users' objects. */
export class Warnings {
  #recorder: EventRecorder | undefined;

  /** Must be called before events can be recorded. */
  start({ recorder }: Pick<CloudStart, "recorder">): void {
    this.#recorder = recorder(COMPONENT, CLIENT);
  }

  ofService(service: Service, reason: string, message: string): void {
    this.#tell({ ...service, apiVersion: "v1", kind: "Service" }, reason, message);
  }

  ofNode(node: Node, reason: string, message: string): void {
    this.#tell({ ...node, apiVersion: "v1", kind: "Node" }, reason, message);
  }

  ofNodeCalled(name: string, uid: string, reason: string, message: string): void {
    this.#tell({ apiVersion: "v1", kind: "Node", name, uid }, reason, message);
  }

  #tell(object: Service | Node | ObjectReference, reason: string, message: string): void {
    this.#recorder?.event(object, "Warning", reason, shown(message));
  }
}
