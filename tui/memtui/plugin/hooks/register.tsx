// Runs inside Claude Code: compares each compaction's summary with what it replaced, the moment it exists, and
// hands over what it left out with the very next request. All judgement is in `memtui mod`; without it, or when
// it is slow or fails, the compaction goes on as it would have.
import { atom, read, update } from 'claude-code'
import type { EngineInterface, Register } from 'claude-code'

import type { Answer, Row, Shown, Way } from '../types'

const PANE = 'memtui-lost'
const QUICK_MS = 5_000
const SLOW_MS = 15_000
const MODEL_MS = 20_000
const SHOWN = 10
const TURNS = 3
const WAYS: [Way, string, string][] = [
  ['small', 's', 'small, about 12,000 tokens of haiku each time'],
  ['own', 'o', "own, this session's model, mostly from its cache"],
  ['no', 'n', 'no'],
]
const NOTHING: Shown = { number: 0, turns: 0, hidden: false, way: '', line: '', rows: [], near: '', next: [] }
const shown = atom({ plugin: 'memtui', key: 'shown' } as const, NOTHING, { shape: 'shown-1' })

const oneLine = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text)
const marked = (row: Row) => `${row.handed_over ? '↺' : '✗'} ${row.text}${row.source}`
const why = (error: unknown) => oneLine(String(error instanceof Error ? error.message : error), 160)
const change = ($: EngineInterface, part: Partial<Shown>) => update($, shown, now => ({ ...now, ...part }))

async function launch($: EngineInterface, words: string[], stdin: string, timeoutMs = SLOW_MS): Promise<string> {
  const ran = await $.process.run([`${$.plugin.root}/launch`, ...words], { stdin, cwd: await $.session.cwd(), timeoutMs })
  if (ran.exitCode !== 0) throw new Error(ran.stderr.trim().split('\n')[0] || `exit code ${ran.exitCode}`)
  return ran.stdout
}

/** Asks memtui, JSON in and out; throws when it is missing, slow, fails or answers something else. */
async function memtui($: EngineInterface, event: string, given: object = {}, timeoutMs = SLOW_MS): Promise<Answer> {
  const { transcriptPath } = await $.session.info()
  const stdin = JSON.stringify({ session: await $.session.id(), transcript: transcriptPath, ...given })
  const printed = await launch($, ['mod', event], stdin, timeoutMs)
  if (!printed.startsWith(`{"event": "${event}"`)) throw new Error('its answer is not understood')
  return JSON.parse(printed)
}

const tell = ($: EngineInterface, type: 'user' | 'system', text: string) =>
  $.session.append({ message: { type, content: [{ type: 'text', text }] } })

const pin = ($: EngineInterface, text: string) => launch($, ['pin', '-'], text).then(printed => printed.trim(), why)

const choose = async ($: EngineInterface, way: Way) =>
  memtui($, 'choose', { way }).then(answer => change($, { way: answer.way }), error => $.ui.toast(why(error)))

/** Opens the pane, with what the next compaction would take. */
const look = async ($: EngineInterface) => {
  await $.ui.open({ id: PANE, title: 'memtui: what compactions take' })
  const { next } = await memtui($, 'ahead').catch(error => ({ next: [why(error)] }))
  await change($, { next })
}

export const register: Register = on => {
  let hasFailed = false
  let outbox = ''
  let emptyAt = ''
  let percent = -1

  on('session.start', async ($, e, next) => {
    await $.command.register({ name: 'lost', description: 'What the last compaction left out, to hand it over' })
    await $.command.register({ name: 'pin', description: 'Pin a line that no compaction may lose' })
    // Told at once, not waited for: the hooks leave the notes to this one.
    memtui($, 'start').then(answer => (outbox = answer.outbox), () => undefined)
    return next(e)
  }).catch(($, e, next) => next(e))

  on('session.compact', async ($, e, next) => {
    if (e.agentId !== undefined || e.trigger === 'precompute') return next(e)
    const failed = async (error: unknown) => {
      if (!hasFailed) await tell($, 'system', `memtui: the summary was not compared (${why(error)}); \`memtui doctor\` says more`)
      hasFailed = true // said once
    }
    let before: Answer
    let reply: unknown
    try {
      before = await memtui($, 'before')
      outbox = before.outbox
      if (before.prompt) {
        const late = new Promise<null>(resolve => void $.clock.after(MODEL_MS, () => resolve(null)))
        const asking = $.model.fork({ prompt: before.prompt }).catch(error => ({ reason: why(error) }))
        reply = await Promise.race([asking, late])
      }
    } catch (error) {
      await failed(error)
      return next(e) // the hooks hand the note over with the next prompt
    }
    const result = await next(e)
    if (result.skip !== undefined) return result
    try {
      const [summary, ...kept] = result.messages.map(message => message.text)
      let { way, keys } = before
      if (way === 'small') {
        const question = await memtui($, 'ask', { summary, kept })
        keys = question.keys
        const request = { model: 'haiku', prompt: question.prompt ?? '', maxTokens: 400, timeoutMs: MODEL_MS }
        reply = await $.model.complete(request).catch(error => ({ reason: why(error) }))
      }
      const { note, line, rows } = await memtui($, 'note', { summary, kept, asked: { way, keys, reply } })
      if (note) await tell($, 'user', note)
      if (rows.length) await tell($, 'system', line)
      await update($, shown, last => ({ ...NOTHING, number: last.number + 1, way, line, rows }))
    } catch (error) {
      await failed(error)
    }
    return result
  }).catch(($, e, next) => next(e))

  on('session.measure', async ($, e, next) => {
    const { tokens, window, percent: now = -1 } = e.context
    if (tokens === undefined || now === percent) return next(e)
    percent = now
    memtui($, 'measured', { tokens, window }).then(({ near }) => change($, { near })).catch(() => undefined) // not waited for
    return next(e)
  }).catch(($, e, next) => next(e))

  // What was handed over in memtui's own window goes with this turn's next request, or by a hook with the next
  // prompt. While nothing waits, nothing is asked.
  on('turn.step', async function* ($, e, next) {
    const step = yield* next(e)
    if (e.agentId !== undefined || !step.toolUses.length || !outbox || emptyAt === e.turnId) return step
    if (await $.fs.exists(outbox).catch(() => false)) {
      const { text } = await memtui($, 'waiting', {}, QUICK_MS).catch(() => ({ text: '' }))
      if (text) await tell($, 'user', text)
      else emptyAt = e.turnId
    }
    return step
  }).catch(async function* ($, e, next) {
    return yield* next(e)
  })

  on('turn.complete', async ($, e, next) => {
    await update($, shown, last => ({ ...last, turns: last.turns + 1 }))
    return next(e)
  }).catch(($, e, next) => next(e))

  on('command.run', { command: 'lost' }, async ($, e) => {
    await look($)
    const { line, rows, next } = await read($, shown)
    const first = line.replace('memtui: ', '') || 'No compaction in this run of Claude Code yet.'
    const isTyped = e.origin?.kind === 'composer' // then the pane shows the rest
    return { text: isTyped ? first : [first, ...rows.slice(0, SHOWN).map(marked), ...next].join('\n') }
  })

  on('command.run', { command: 'pin' }, async ($, e) => ({
    text: e.args.trim() ? await pin($, e.args.trim()) : 'What should never be lost? /pin TEXT',
  }))

  on('ui.render', { component: 'AbovePrompt' }, async ($, e, next) => {
    const { number, turns, hidden, way, rows, near } = await read($, shown)
    const isLost = !hidden && turns <= TURNS && rows.length > 0
    if (e.props.hasSurvey || (!isLost && !near)) return next(e)
    const { Box, Button, Text } = $.ui.resolve(e)
    const handed = rows.filter(row => row.handed_over).length
    const lost = `compaction ${number} · ${rows.length} ${rows.length === 1 ? 'line' : 'lines'} left out · ${handed} handed over`
    return (
      <Box flexDirection="column">
        <Box>
          <Text dimColor>{isLost ? lost : near} </Text>
          <Button key="show" label={isLost ? 'show' : 'what would go'} onPress={() => void look($)} />
          {isLost && <Button key="hide" label="hide" onPress={() => change($, { hidden: true })} />}
        </Box>
        {isLost && !way && <Text dimColor>let a model choose what goes back?</Text>}
        {isLost && !way && WAYS.map(([one, key, label]) => <Button key={one} hotkey={key} label={label} onPress={() => choose($, one)} />)}
      </Box>
    )
  }).catch(($, e, next) => next(e))

  on('ui.render', { component: 'Pane', requestId: PANE }, async ($, e) => {
    const { Box, Button, Text } = $.ui.resolve(e)
    const { way, rows, next } = await read($, shown)
    const columns = Math.max(20, e.props.bodyColumns - 4)
    const isWide = columns > 60 // the buttons stand beside their row
    const handOver = async (row: Row) => {
      await tell($, 'user', `Left out of the summary, handed over by the person: ${row.text}${row.source}`)
      await change($, { rows: rows.map(one => (one.n === row.n ? { ...one, handed_over: true } : one)) })
    }
    return (
      <Box flexDirection="column">
        {rows.slice(0, SHOWN).map(row => (
          <Box flexDirection={isWide ? 'row' : 'column'}>
            <Box width={isWide ? columns - 22 : columns}><Text dimColor={row.handed_over}>{oneLine(marked(row), 3 * columns)}</Text></Box>
            <Box>
              {!row.handed_over && <Button key={`hand-${row.n}`} label="hand over" onPress={() => handOver(row)} />}
              <Button key={`pin-${row.n}`} label="pin" onPress={async () => $.ui.toast(oneLine(await pin($, row.text), 100))} />
            </Box>
          </Box>
        ))}
        {rows.length > SHOWN && <Text dimColor>… {rows.length - SHOWN} more: memtui lost</Text>}
        {next.map(line => <Text dimColor>{oneLine(line, 3 * columns)}</Text>)}
        <Text dimColor>chosen by {way || 'no'} model; change:</Text>
        <Box>{WAYS.map(([one, key]) => <Button key={`by-${one}`} hotkey={key} label={one} onPress={() => choose($, one)} />)}</Box>
      </Box>
    )
  })
}
