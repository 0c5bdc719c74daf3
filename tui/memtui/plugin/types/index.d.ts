/** Who chooses what goes back: a small model, the session's own, nobody; "" until the person has said so. */
export type Way = 'small' | 'own' | 'no' | ''
export type Row = { n: number; text: string; source: string; handed_over: boolean }

/** What `memtui mod EVENT` answers; `event` is that event. */
export type Answer = {
  event: string
  outbox: string
  way: Way
  prompt?: string
  keys: string[]
  note: string
  line: string
  rows: Row[]
  text: string
  near: string
  next: string[]
}

/** The last compaction, 0 if there was none, with the turns since; when the next is near, and what it would take. */
export type Shown = Pick<Answer, 'way' | 'line' | 'rows' | 'near' | 'next'> & { number: number; turns: number; hidden: boolean }

declare module 'claude-code' {
  interface PluginState {
    memtui: { shown: Shaped<Shown> }
  }
}
