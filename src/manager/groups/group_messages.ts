import type { CloudDescription } from "../../cloud/mod.ts";
import type { RunSettings } from "../crew.ts";
import type { HubMessage, SubscriberMessage } from "../hub/mod.ts";
import type { Answers, Question } from "../questions.ts";
import type { FileText } from "../supplies/mod.ts";
import type { PortAsk, PortCancel, PortFailure, PortReply } from "./port_messages.ts";

/** A group's start settings. Times in milliseconds. */
export interface GroupSettings extends RunSettings {
  readonly name: string;
  /** Names of the controllers that it runs. */
  readonly controllers: readonly string[];
  /** The contents of the files that its controllers' rows declare, by flag. */
  readonly files: readonly (readonly [flag: string, content: FileText])[];
  /** The cloud provider, if one of its controllers' rows declares that it calls one. */
  readonly cloud?: CloudDescription;
  /** The API server's address; the process's own credentials stay in the main thread. */
  readonly server: string;
  /** Whether the group sends its accounts' requests directly. */
  readonly sendsDirectly: boolean;
  readonly qps: number;
  readonly burst: number;
  readonly logFormat: "text" | "json";
  readonly verbosity: number;
  readonly vmodule: string;
  readonly pid: number;
}

/** From the main thread to a group. */
export type GroupCommand =
  /** The memory of its fence, sent first: `confinement.ts` receives it. */
  | { readonly what: "fence"; readonly memory: SharedArrayBuffer }
  | {
    readonly what: "start";
    readonly settings: GroupSettings;
    /** It was at work before and failed. */
    readonly isRestart: boolean;
  }
  /** The lease is held: controllers may start. */
  | { readonly what: "lead" }
  /** Finish work in progress and end. */
  | { readonly what: "stop" }
  | { readonly what: "ping"; readonly id: number }
  /** The new log verbosity. */
  | { readonly what: "verbosity"; readonly verbosity: number }
  | { readonly what: "ask"; readonly id: number; readonly question: Question }
  /** A file changed. */
  | { readonly what: "file"; readonly flag: string; readonly text: string }
  | HubMessage
  | PortReply
  | PortFailure;

/** A group's reports about its state. */
export type GroupNews =
  /** These controllers are built and their informers run; the others have nothing to do here. */
  | { readonly what: "started"; readonly controllers: readonly string[] }
  /** They must work but cannot be built. */
  | { readonly what: "unbuildable"; readonly message: string }
  /** The caches are filled. */
  | { readonly what: "synced" }
  /** A controller found its state corrupt; the others continue. */
  | { readonly what: "stopped"; readonly controller: string; readonly reason: string }
  /** The controllers have ended; `isClean` if all did. */
  | { readonly what: "ended"; readonly isClean: boolean }
  /** The group cannot continue. */
  | { readonly what: "broken"; readonly message: string }
  | { readonly what: "log"; readonly line: string };

/** From a group to the main thread. */
export type GroupReport =
  | GroupNews
  | {
    readonly what: "pong";
    readonly id: number;
    readonly heapBytes: number;
    readonly heapLimitBytes: number;
    /** A line for each object that its informers cannot read. */
    readonly setAside: readonly string[];
  }
  | { readonly what: "answer"; readonly id: number; readonly answer: Answers[keyof Answers] }
  | SubscriberMessage
  | PortAsk
  | PortCancel;
