/**
 * The WebSocket to sonde: what is asked, what is sent, and what to do when it is lost
 * (src/serve/viewer.h says what goes over it).
 */
import { signal } from "@preact/signals";
import type { Question } from "./scene.ts";

export type LinkState = "connecting" | "open" | "lost" | "refused";

interface Waiting {
  resolve(reply: unknown): void;
  reject(error: Error): void;
}

const RETRY_FIRST = 300; /** ms */
const RETRY_MOST = 5000;

export class Link {
  readonly state = signal<LinkState>("connecting");
  /** A new connection: what was told on the last one is to be forgotten. */
  onOpen: () => void = () => {};
  onDrawing: (message: ArrayBuffer) => void = () => {};
  /** What is shown cannot be answered any more. */
  onFailed: (sentence: string) => void = () => {};
  private socket: WebSocket | null = null;
  private readonly waiting = new Map<number, Waiting>();
  private next = 1;
  private delay = RETRY_FIRST;
  private everOpen = false;

  constructor(private readonly host: string, private readonly token: string) {}

  connect(): void {
    const socket = new WebSocket(`ws://${this.host}/?t=${this.token}`, "sonde");
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.delay = RETRY_FIRST;
      this.everOpen = true;
      this.state.value = "open";
      this.onOpen();
    };
    socket.onmessage = (e: MessageEvent<ArrayBuffer | string>) => {
      if (typeof e.data === "string") this.hear(e.data);
      else this.onDrawing(e.data);
    };
    socket.onclose = () => this.lost();
  }

  private lost(): void {
    for (const w of this.waiting.values()) w.reject(new Error("the connection was lost"));
    this.waiting.clear();
    if (this.state.value !== "refused") this.state.value = "lost";
    if (!this.everOpen) void this.askWhy();
    setTimeout(() => this.connect(), this.delay);
    this.delay = Math.min(this.delay * 2, RETRY_MOST);
  }

  /** Browsers do not tell a refusal from nobody there. */
  private async askWhy(): Promise<void> {
    try {
      const answer = await fetch("/api/verbs", {
        headers: { Authorization: `Bearer ${this.token}` },
      });
      if (answer.status === 401) this.state.value = "refused";
    } catch {
      // nobody is there
    }
  }

  private hear(text: string): void {
    const message = JSON.parse(text) as {
      id?: number; reply?: unknown; error?: string; failed?: string;
    };
    if (message.failed !== undefined) this.onFailed(message.failed);
    const waits = message.id === undefined ? undefined : this.waiting.get(message.id);
    if (!waits) return;
    this.waiting.delete(message.id!);
    if (message.error !== undefined) waits.reject(new Error(message.error));
    else waits.resolve(message.reply);
  }

  private send(message: object): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  private request(message: object): Promise<unknown> {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      if (!this.send({ ...message, id })) {
        reject(new Error("there is no connection to sonde now"));
        return;
      }
      this.waiting.set(id, { resolve, reject });
    });
  }

  verb(name: string, args: object): Promise<unknown> {
    return this.request({ verb: name, arguments: args });
  }

  show(question: Question): Promise<unknown> {
    return this.request({ show: question });
  }

  drawn(seq: number): void {
    this.send({ drawn: seq });
  }

  hidden(is: boolean): void {
    this.send({ hidden: is });
  }
}
