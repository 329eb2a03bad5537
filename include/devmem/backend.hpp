/// \file
/// The code paths: `cpu_backend`, `cuda_backend` where it is switched on, and `dynamic_backend`,
/// which chooses among them at run time; the concept `backend` that they model.
#pragma once

#include <devmem/backend/cpu.hpp>
#include <devmem/backend/dynamic.hpp>
#include <devmem/backend/table.hpp>
#include <devmem/backend/tables.hpp>
