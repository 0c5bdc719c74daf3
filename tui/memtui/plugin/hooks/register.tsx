// Runs inside Claude Code: compares each compaction's summary with what it replaced, the moment it exists, and
// hands over what it left out with the very next request. All judgement is in `memtui lost`; without it, or when
// it is slow or fails, the compaction goes on as it would have.
import { atom, read, update } from 'claude-code'
import type { Register } from 'claude-code'

import type { Loss } from '../types'

const PANE = 'memtui-lost'
const QUICK_MS = 3_000
const SLOW_MS = 15_000
const SHOWN = 10
const TURNS = 3
const loss = atom({ plugin: 'memtui', key: 'loss' } as const, null, { shape: 'loss-1' })

const oneLine = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text)

export const register: Register = on => {
  let number = 0
  let hasFailed = false

  on('session.start', async ($, e, next) => {
    await $.command.register({ name: 'lost', description: 'What the last compaction left out, to hand it over' })
    await $.command.register({ name: 'pin', description: 'Pin a line that no compaction may lose' })
    return next(e)
  }).catch(($, e, next) => next(e))

  on('session.compact', async ($, e, next) => {
    if (e.agentId !== undefined || e.trigger === 'precompute') return next(e)
    const id = await $.session.id()
    const memtui = (...args: string[]) => [`${$.plugin.root}/launch`, 'lost', ...args]
    const cwd = await $.session.cwd()
    // Told first, so that the hooks of this compaction leave the note to this one.
    await $.process.run(memtui('--mod', id), { cwd, timeoutMs: QUICK_MS }).catch(() => undefined)
    const result = await next(e)
    if (result.skip !== undefined) return result
    try {
      const [summary, ...kept] = result.messages.map(message => message.text)
      const { transcriptPath } = await $.session.info()
      const from = transcriptPath ? ['--transcript', transcriptPath] : []
      const argv = memtui('--note', '--json', '--delivering', id, ...from)
      const ran = await $.process.run(argv, { stdin: JSON.stringify({ summary, kept }), cwd, timeoutMs: SLOW_MS })
      if (ran.exitCode !== 0) throw new Error(ran.stderr.trim().split('\n')[0] || `exit code ${ran.exitCode}`)
      const answer: Loss = { ...JSON.parse(ran.stdout), number: ++number, turns: 0, hidden: false }
      if (answer.note) await $.session.append({ message: { type: 'user', content: [{ type: 'text', text: answer.note }] } })
      if (answer.rows.length) await $.session.append({ message: { type: 'system', content: [{ type: 'text', text: answer.line }] } })
      await update($, loss, () => answer)
    } catch (error) {
      if (hasFailed) return result // said once
      hasFailed = true
      const why = oneLine(String(error instanceof Error ? error.message : error), 160)
      const text = `memtui: the summary was not compared (${why}); \`memtui doctor\` says more`
      await $.session.append({ message: { type: 'system', content: [{ type: 'text', text }] } })
    }
    return result
  }).catch(($, e, next) => next(e))

  on('turn.complete', async ($, e, next) => {
    await update($, loss, last => last && { ...last, turns: last.turns + 1 })
    return next(e)
  }).catch(($, e, next) => next(e))

  on('command.run', { command: 'lost' }, async $ => {
    const last = await read($, loss)
    if (last === null) return { text: 'No compaction in this run of Claude Code yet.' }
    await $.ui.open({ id: PANE, title: `Compaction ${last.number}: left out` })
    const rows = last.rows.slice(0, SHOWN).map(row => `${row.handed_over ? '↺' : '✗'} ${row.text}${row.line ? ` (L${row.line})` : ''}`)
    return { text: [last.line.replace('memtui: ', ''), ...rows].join('\n') }
  })

  on('command.run', { command: 'pin' }, async ($, e) => {
    if (!e.args.trim()) return { text: 'What should never be lost? /pin TEXT' }
    const ran = await $.process.run([`${$.plugin.root}/launch`, 'pin', '-'], {
      stdin: e.args.trim(),
      cwd: await $.session.cwd(),
      timeoutMs: SLOW_MS,
    })
    return { text: (ran.exitCode === 0 ? ran.stdout : ran.stderr).trim() }
  })

  on('ui.render', { component: 'AbovePrompt' }, async ($, e, next) => {
    const last = await read($, loss)
    if (e.props.hasSurvey || last === null || last.hidden || last.turns > TURNS || !last.rows.length) return next(e)
    const { Box, Button, Text } = $.ui.resolve(e)
    const handed = last.rows.filter(row => row.handed_over).length
    return (
      <Box>
        <Text dimColor>
          compaction {last.number} · {last.rows.length} {last.rows.length === 1 ? 'line' : 'lines'} left out · {handed} handed over{' '}
        </Text>
        <Button key="show" label="show" onPress={() => void $.ui.open({ id: PANE, title: `Compaction ${last.number}: left out` })} />
        <Button key="hide" label="hide" onPress={() => update($, loss, now => now && { ...now, hidden: true })} />
      </Box>
    )
  }).catch(($, e, next) => next(e))

  on('ui.render', { component: 'Pane', requestId: PANE }, async ($, e) => {
    const { Box, Button, Text } = $.ui.resolve(e)
    const last = await read($, loss)
    const width = Math.max(20, e.props.bodyColumns - 4)
    if (last === null) return <Text dimColor>No compaction yet.</Text>
    const handOver = async (n: number) => {
      const row = last.rows.find(one => one.n === n)
      if (row === undefined || row.handed_over) return
      const text = `Left out of the summary, handed over by the person: ${row.text}${row.line ? ` (L${row.line})` : ''}`
      await $.session.append({ message: { type: 'user', content: [{ type: 'text', text }] } })
      await update($, loss, now => now && { ...now, rows: now.rows.map(one => (one.n === n ? { ...one, handed_over: true } : one)) })
    }
    const pin = async (n: number) => {
      const row = last.rows.find(one => one.n === n)
      if (row === undefined) return
      const ran = await $.process.run([`${$.plugin.root}/launch`, 'pin', '-'], { stdin: row.text, cwd: await $.session.cwd(), timeoutMs: SLOW_MS })
      $.ui.toast(ran.exitCode === 0 ? 'Pinned' : oneLine(ran.stderr.trim(), 100))
    }
    return (
      <Box flexDirection="column">
        {last.rows.slice(0, SHOWN).map(row => (
          <Box flexDirection="column">
            <Text dimColor={row.handed_over}>
              {row.handed_over ? '↺' : '✗'} {oneLine(row.text, 3 * width)}
            </Text>
            <Box>
              <Text dimColor>{row.line ? `  L${row.line} ` : '  '}</Text>
              {!row.handed_over && <Button key={`hand-${row.n}`} label="hand over" onPress={() => handOver(row.n)} />}
              <Button key={`pin-${row.n}`} label="pin" onPress={() => pin(row.n)} />
            </Box>
          </Box>
        ))}
        {last.rows.length > SHOWN && <Text dimColor>… {last.rows.length - SHOWN} more: memtui lost</Text>}
      </Box>
    )
  })
}
