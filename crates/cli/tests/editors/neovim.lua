-- What a user of Neovim does: diagnostics, hover, definition, code action, rename, formatting; then the file is written.
local function fail(message)
  io.stderr:write('FAIL ' .. message .. '\n')
  vim.cmd('cquit')
end

local function wait(what, check)
  if not vim.wait(20000, check, 20) then fail(what) end
end

local function request(method, parameters)
  local answers = vim.lsp.buf_request_sync(0, method, parameters, 20000)
  for _, answer in pairs(answers or {}) do
    if answer.error then fail(method .. ': ' .. answer.error.message) end
    return answer.result
  end
  fail(method .. ': no answer')
end

local function at(line, column)
  vim.api.nvim_win_set_cursor(0, { line, column })
  return vim.lsp.util.make_position_params(0, 'utf-16')
end

local function errors()
  return vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR })
end

vim.api.nvim_create_autocmd('VimEnter', {
  callback = function()
    vim.schedule(function()
      local id = vim.lsp.start_client({ cmd = { os.getenv('MODESHIFT'), 'lsp' }, name = 'modeshift' })
      vim.lsp.buf_attach_client(0, id)
      wait('a diagnostic', function() return #errors() == 1 end)
      local found = errors()[1]
      if found.code ~= 'E0201' or found.lnum ~= 3 then fail('the diagnostic: ' .. vim.inspect(found)) end

      local place = at(4, found.col)
      local actions = request('textDocument/codeAction', {
        textDocument = place.textDocument,
        range = { start = place.position, ['end'] = place.position },
        context = { diagnostics = {} },
      })
      vim.lsp.util.apply_workspace_edit(actions[1].edit, 'utf-16')
      wait('the mended text', function() return #errors() == 0 end)

      local hover = request('textDocument/hover', at(4, 9))
      if not hover.contents.value:find('Real speed') then fail('hover: ' .. vim.inspect(hover)) end
      local definition = request('textDocument/definition', at(4, 9))
      if definition.range.start.line ~= 1 then fail('definition: ' .. vim.inspect(definition)) end

      local rename = at(4, 9)
      rename.newName = 'v'
      vim.lsp.util.apply_workspace_edit(request('textDocument/rename', rename), 'utf-16')
      local format = { textDocument = place.textDocument, options = { tabSize = 2, insertSpaces = true } }
      vim.lsp.util.apply_text_edits(request('textDocument/formatting', format), 0, 'utf-16')
      vim.cmd('write')
      io.stderr:write('all well\n')
      vim.lsp.stop_client(id)
      vim.cmd('qall')
    end)
  end,
})
